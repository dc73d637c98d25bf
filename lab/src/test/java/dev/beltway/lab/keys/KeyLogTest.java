package dev.beltway.lab.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class KeyLogTest {

  private record Read(KeyLog.Counts counts, List<String> keys) {}

  private static Read read(byte[] content, KeyLog.Format format) throws Exception {
    List<String> keys = new ArrayList<>();
    KeyLog.Counts counts =
        KeyLog.read(
            new ByteArrayInputStream(content),
            format,
            (bytes, offset, length) ->
                keys.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1)));
    return new Read(counts, keys);
  }

  private static Read lines(String content) throws Exception {
    return read(content.getBytes(StandardCharsets.ISO_8859_1), KeyLog.Format.LINES);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }

  @Test
  void lineEndsAreNotPartOfKeys() throws Exception {
    for (String content : List.of("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nc", "a\r\nb\nc\r")) {
      assertThat(lines(content).keys).containsExactly("a", "b", "c");
    }
    assertThat(lines(" a \n\tb\n").keys).containsExactly(" a ", "\tb");
    assertThat(lines("a\rb\r\n").keys).containsExactly("a\rb");
  }

  @Test
  void aByteOrderMarkIsNotPartOfTheFirstKey() throws Exception {
    assertThat(lines("\u00ef\u00bb\u00bfa\n\u00ef\u00bb\u00bfb\n").keys)
        .containsExactly("a", "\u00ef\u00bb\u00bfb");
  }

  @Test
  void emptyLinesAreSkippedAndCounted() throws Exception {
    assertThat(lines("\na\n\r\n\n").counts).isEqualTo(new KeyLog.Counts(4, 1, 3, 0));
    assertThat(lines("").counts).isEqualTo(new KeyLog.Counts(0, 0, 0, 0));
  }

  @Test
  void anyBytesAreAKey() throws Exception {
    Random random = new Random(3);
    for (int i = 0; i < 300; i++) {
      byte[] key = new byte[1 + random.nextInt(200)];
      random.nextBytes(key);
      for (int j = 0; j < key.length; j++) {
        key[j] = key[j] == '\n' || key[j] == '\r' ? (byte) '.' : key[j];
      }
      key[0] = 'k';
      byte[] line = Arrays.copyOf(key, key.length + 1);
      line[key.length] = '\n';
      assertThat(read(line, KeyLog.Format.LINES).keys)
          .containsExactly(new String(key, StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void gzipIsRecognisedByContentSeveralMembersIncluded() throws Exception {
    byte[] first = gzip("a\nb".getBytes(StandardCharsets.UTF_8));
    byte[] second = gzip("c\nd\n".getBytes(StandardCharsets.UTF_8));
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    assertThat(read(both, KeyLog.Format.LINES).keys).containsExactly("a", "bc", "d");
  }

  @Test
  void gzipThatEndsEarlyIsAnErrorWhereverItEnds() throws Exception {
    byte[] whole = gzip("some keys\n".repeat(1000).getBytes(StandardCharsets.UTF_8));
    for (int length = 2; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(part, KeyLog.Format.LINES))
          .as("%d of %d bytes", length, whole.length)
          .isInstanceOf(KeyLogException.class)
          .hasMessageStartingWith("is damaged gzip after line ");
    }
  }

  @Test
  void zstdIsRefusedByName() {
    byte[] zstd = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0};
    assertThatThrownBy(() -> read(zstd, KeyLog.Format.LINES)).hasMessageStartingWith("is zstd");
  }

  @Test
  void linesThatAreTooLongAreSkippedInBoundedMemory() throws Exception {
    String longest = "x".repeat(KeyLog.MOST_BYTES);
    Read read = lines("a\n" + longest + "\n" + longest + "x\n" + longest + longest + "\nb\n");
    assertThat(read.counts).isEqualTo(new KeyLog.Counts(5, 3, 0, 2));
    assertThat(read.keys).containsExactly("a", longest, "b");
    // 3 GB on one line, from a stream that never had them all.
    InputStream endless =
        new InputStream() {
          private long left = 3L << 30;

          @Override
          public int read() {
            return left-- > 0 ? 'x' : -1;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            if (left <= 0) {
              return -1;
            }
            int count = (int) Math.min(length, left);
            left -= count;
            return count;
          }
        };
    assertThat(KeyLog.read(endless, KeyLog.Format.LINES, (bytes, offset, length) -> {}))
        .isEqualTo(new KeyLog.Counts(1, 0, 0, 1));
  }

  @Test
  void readsThatReturnLittleMakeNoDifference() throws Exception {
    byte[] content = "\u00ef\u00bb\u00bfa\r\nbc\n\nd".getBytes(StandardCharsets.ISO_8859_1);
    InputStream slow =
        new ByteArrayInputStream(content) {
          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            return super.read(bytes, offset, Math.min(1, length));
          }
        };
    List<String> keys = new ArrayList<>();
    KeyLog.read(
        slow,
        KeyLog.Format.LINES,
        (bytes, offset, length) ->
            keys.add(new String(bytes, offset, length, StandardCharsets.UTF_8)));
    assertThat(keys).containsExactly("a", "bc", "d");
  }

  @Test
  void jsonLinesHoldKeysOfAnyCharacters() throws Exception {
    String content = "\"a\\nb\"\n\"\"\n\"\\u8282\"\n\n";
    Read read = read(content.getBytes(StandardCharsets.UTF_8), KeyLog.Format.JSONL);
    assertThat(read.counts).isEqualTo(new KeyLog.Counts(4, 3, 1, 0));
    assertThat(read.keys)
        .containsExactly(
            "a\nb",
            "",
            new String("\u8282".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    for (String bad : List.of("\"\\ud800\"", "a", "5", "{}", "\"a", "[\"a\"]", "\"a\" \"b\"")) {
      assertThatThrownBy(() -> read(bad.getBytes(StandardCharsets.UTF_8), KeyLog.Format.JSONL))
          .as(bad)
          .isInstanceOf(KeyLogException.class)
          .hasMessageStartingWith("line 1 ");
    }
  }
}
