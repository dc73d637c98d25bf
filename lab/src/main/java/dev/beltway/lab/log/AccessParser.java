package dev.beltway.lab.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Access logs of web servers, common and combined: {@code host ident user [date] "GET /path
 * HTTP/1.1" status bytes …}. The key is the path with its query. What Apache and nginx write with a
 * backslash is turned back into bytes.
 */
final class AccessParser implements LineParser {

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
  private static final int DATE_LENGTH = "10/Oct/2000:13:55:36 -0700".length();

  private final Quoted quoted = new Quoted();
  private byte[] lastDate = {};
  private long lastTime;

  @Override
  public @Nullable Skip parse(byte[] line, int from, int to, Request request, RequestVisitor out)
      throws IOException {
    int open = indexOf(line, from, to, '[');
    int close = open < 0 ? -1 : indexOf(line, open, to, ']');
    if (close < 0 || close + 2 >= to || line[close + 1] != ' ' || line[close + 2] != '"') {
      return Skip.MALFORMED;
    }
    request.time = time(line, open + 1, close);
    int after = quoted.read(line, close + 2, to);
    if (request.time == Numbers.NONE || after < 0 || after >= to || line[after] != ' ') {
      return Skip.MALFORMED;
    }
    int status = after + 1;
    int space = indexOf(line, status, to, ' ');
    if (space < 0 || Numbers.whole(line, status, space, 999) < 0) {
      return Skip.MALFORMED;
    }
    int end = indexOf(line, space + 1, to, ' ');
    request.size = Numbers.size(line, space + 1, end < 0 ? to : end);
    if (request.size < 0) {
      return Skip.MALFORMED;
    }
    return requestLine(quoted.bytes(), quoted.length(), request, out);
  }

  private static @Nullable Skip requestLine(
      byte[] text, int length, Request request, RequestVisitor out) throws IOException {
    int method = indexOf(text, 0, length, ' ');
    if (method <= 0) {
      return Skip.NO_KEY; // A connection that never asked for anything, or spoke another language.
    }
    int end = length;
    for (int i = length - 1; i > method; i--) {
      if (text[i] == ' ') {
        boolean version = length - i > 5 && text[i + 1] == 'H' && text[i + 5] == '/';
        end = version ? i : length;
        break;
      }
    }
    if (end <= method + 1) {
      return Skip.NO_KEY;
    }
    request.operation = Operation.of(text, 0, method);
    request.key(text, method + 1, end);
    out.visit(request);
    return null;
  }

  /** Most lines have the date of the line before. */
  private long time(byte[] line, int from, int to) {
    if (to - from != DATE_LENGTH) {
      return Numbers.NONE;
    }
    if (!Arrays.equals(line, from, to, lastDate, 0, lastDate.length)) {
      try {
        String date = new String(line, from, to - from, StandardCharsets.ISO_8859_1);
        lastTime = OffsetDateTime.parse(date, DATE).toInstant().toEpochMilli();
      } catch (DateTimeException e) {
        return Numbers.NONE;
      }
      lastDate = Arrays.copyOfRange(line, from, to);
    }
    return lastTime;
  }

  private static int indexOf(byte[] bytes, int from, int to, char wanted) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
