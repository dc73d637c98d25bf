package dev.beltway.lab.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * CSV and TSV. Fields of CSV may stand in double quotes, a quote inside doubled (RFC 4180), but not
 * span lines; fields of TSV are taken as they are.
 */
final class DelimitedParser implements LineParser {

  private static final int ABSENT = -1;

  private final Columns columns;
  private final boolean lenient;
  private final byte delimiter;
  private final boolean quotes;
  private boolean headerPending;

  private int keyColumn = ABSENT;
  private int operationColumn = ABSENT;
  private int sizeColumn = ABSENT;
  private int countColumn = ABSENT;
  private int timeColumn = ABSENT;
  private int ttlColumn = ABSENT;
  private int columnsNeeded;

  private int[] begins = new int[16];
  private int[] ends = new int[16];
  private byte[] unquoted = {};

  /**
   * A parser of one file.
   *
   * @param lenient whether columns other than the key may be missing in the header
   */
  DelimitedParser(Columns columns, boolean lenient, char delimiter, boolean quotes) {
    this.columns = columns;
    this.lenient = lenient;
    this.delimiter = (byte) delimiter;
    this.quotes = quotes;
    this.headerPending = columns.header();
    if (!headerPending) {
      find(Optional.empty());
    }
  }

  @Override
  public @Nullable Skip parse(byte[] line, int from, int to, Request request, RequestVisitor out)
      throws IOException, KeyLogException {
    byte[] bytes = line;
    int fields;
    if (quotes && contains(line, from, to, (byte) '"')) {
      fields = splitQuoted(line, from, to);
      bytes = unquoted;
    } else {
      fields = split(line, from, to);
    }
    if (headerPending) {
      readHeader(bytes, fields);
      headerPending = false;
      return Skip.HEADER;
    }
    if (fields < columnsNeeded) {
      return Skip.MALFORMED;
    }
    if (!fill(request, bytes)) {
      return Skip.MALFORMED;
    }
    if (request.length == 0) {
      return Skip.EMPTY_KEY;
    }
    out.visit(request);
    return null;
  }

  private boolean fill(Request request, byte[] bytes) {
    request.key(bytes, begins[keyColumn], ends[keyColumn]);
    if (operationColumn != ABSENT) {
      request.operation = Operation.of(bytes, begins[operationColumn], ends[operationColumn]);
    }
    if (sizeColumn != ABSENT) {
      request.size = Numbers.size(bytes, begins[sizeColumn], ends[sizeColumn]);
    }
    if (countColumn != ABSENT) {
      request.count =
          Numbers.whole(bytes, begins[countColumn], ends[countColumn], Request.MOST_COUNT);
    }
    if (timeColumn != ABSENT) {
      request.time = Numbers.time(bytes, begins[timeColumn], ends[timeColumn]);
    }
    if (ttlColumn != ABSENT && begins[ttlColumn] < ends[ttlColumn]) {
      request.ttl = Numbers.milliseconds(bytes, begins[ttlColumn], ends[ttlColumn]);
    }
    return request.size >= 0
        && request.count >= 1
        && request.time != Numbers.NONE
        && request.ttl >= 0;
  }

  private int split(byte[] bytes, int from, int to) {
    int fields = 0;
    int begin = from;
    for (int i = from; i < to; i++) {
      if (bytes[i] == delimiter) {
        field(fields++, begin, i);
        begin = i + 1;
      }
    }
    field(fields++, begin, to);
    return fields;
  }

  /** Splits into {@link #unquoted}, quotes taken off; no field if the quotes don't match. */
  private int splitQuoted(byte[] bytes, int from, int to) {
    if (unquoted.length < to - from) {
      unquoted = new byte[Math.max(256, 2 * (to - from))];
    }
    int fields = 0;
    int written = 0;
    int i = from;
    while (true) {
      int begin = written;
      if (i < to && bytes[i] == '"') {
        i++;
        while (true) {
          if (i == to) {
            return 0; // The quote never ends.
          }
          if (bytes[i] == '"') {
            if (i + 1 < to && bytes[i + 1] == '"') {
              i++;
            } else {
              i++;
              break;
            }
          }
          unquoted[written++] = bytes[i++];
        }
        if (i < to && bytes[i] != delimiter) {
          return 0; // Something after the quote.
        }
      } else {
        while (i < to && bytes[i] != delimiter) {
          unquoted[written++] = bytes[i++];
        }
      }
      field(fields++, begin, written);
      if (i == to) {
        return fields;
      }
      i++;
    }
  }

  private void field(int field, int begin, int end) {
    if (field == begins.length) {
      begins = Arrays.copyOf(begins, 2 * field);
      ends = Arrays.copyOf(ends, 2 * field);
    }
    begins[field] = begin;
    ends[field] = end;
  }

  private static boolean contains(byte[] bytes, int from, int to, byte wanted) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == wanted) {
        return true;
      }
    }
    return false;
  }

  private void readHeader(byte[] bytes, int fields) throws KeyLogException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < fields && i < Columns.MOST_COLUMNS; i++) {
      names.add(new String(bytes, begins[i], ends[i] - begins[i], StandardCharsets.UTF_8).strip());
    }
    String missing = find(Optional.of(names));
    if (missing != null) {
      String shown = String.join(", ", names);
      throw new KeyLogException(
          "names no column \""
              + missing
              + "\" but "
              + (shown.length() > 200 ? shown.substring(0, 200) + "…" : shown));
    }
  }

  /** Finds the columns; what it returns is missing. */
  private @Nullable String find(Optional<List<String>> header) {
    keyColumn = index(columns.key(), header);
    operationColumn = index(columns.operation(), header);
    sizeColumn = index(columns.size(), header);
    countColumn = index(columns.count(), header);
    timeColumn = index(columns.time(), header);
    ttlColumn = index(columns.ttl(), header);
    columnsNeeded =
        1
            + Math.max(
                Math.max(Math.max(keyColumn, operationColumn), Math.max(sizeColumn, countColumn)),
                Math.max(timeColumn, ttlColumn));
    if (keyColumn == ABSENT) {
      return columns.key();
    }
    if (!lenient) {
      for (Optional<String> column :
          List.of(
              columns.operation(),
              columns.size(),
              columns.count(),
              columns.time(),
              columns.ttl())) {
        if (column.isPresent() && index(column, header) == ABSENT) {
          return column.get();
        }
      }
    }
    return null;
  }

  private static int index(Optional<String> column, Optional<List<String>> header) {
    return column.map(name -> index(name, header)).orElse(ABSENT);
  }

  private static int index(String column, Optional<List<String>> header) {
    int number = Columns.number(column);
    return number > 0 ? number - 1 : header.map(names -> names.indexOf(column)).orElse(ABSENT);
  }
}
