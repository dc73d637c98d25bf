package dev.beltway.lab.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class KeyLogTest {

  private record Read(LogCounts counts, List<String> keys) {}

  private static Read read(byte[] content, LogFormat format) throws Exception {
    return read(new ByteArrayInputStream(content), format);
  }

  private static Read read(InputStream in, LogFormat format) throws Exception {
    List<String> keys = new ArrayList<>();
    LogCounts counts = KeyLog.readKeys(in, format, into(keys));
    return new Read(counts, keys);
  }

  private static KeyVisitor into(List<String> keys) {
    return (bytes, offset, length) ->
        keys.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
  }

  private static Read lines(String content) throws Exception {
    return read(content.getBytes(StandardCharsets.ISO_8859_1), LogFormat.lines());
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static LogCounts counts(
      long lines, long used, Map<Skip, LogCounts.Skipped> skipped, boolean unended) {
    return new LogCounts(lines, used, used, 0, skipped, unended);
  }

  @Test
  void lineEndsAreNotPartOfKeys() throws Exception {
    for (String content :
        List.of(
            "a\nb\nc\n",
            "a\r\nb\r\nc\r\n",
            "a\nb\nc",
            "a\r\nb\nc\r",
            "a\rb\rc\r",
            "a\rb\rc",
            "\u00ef\u00bb\u00bfa\rb\rc")) {
      assertThat(lines(content).keys)
          .as(content.replace("\r", "CR"))
          .containsExactly("a", "b", "c");
    }
    assertThat(lines(" a \n\tb\n").keys).containsExactly(" a ", "\tb");
    assertThat(lines("a\rb\r\n").keys).containsExactly("a\rb");
  }

  @Test
  void aReturnEndsLinesOnlyWhereNoFeedDoes() throws Exception {
    String early = "k".repeat(Lines.LOOK_AHEAD - 3);
    assertThat(lines(early + "\rb\n").keys).containsExactly(early + "\rb");
    String late = "k".repeat(Lines.LOOK_AHEAD);
    assertThat(lines(late.substring(2) + "\rb\nc\r\nd\r\r").keys)
        .containsExactly(late.substring(2), "b", "c", "d");
    assertThat(lines(late + "\rb\n").keys).containsExactly(late + "\rb");
  }

  @Test
  void aByteOrderMarkIsNotPartOfTheFirstKey() throws Exception {
    assertThat(lines("\u00ef\u00bb\u00bfa\n\u00ef\u00bb\u00bfb\n").keys)
        .containsExactly("a", "\u00ef\u00bb\u00bfb");
    assertThat(lines("\u00ef\u00bb\u00bf").keys).isEmpty();
  }

  @Test
  void utf16IsRefusedWithTheRemedy() {
    byte[] little = joined(new byte[] {-1, -2}, "ab\n".getBytes(StandardCharsets.UTF_16LE));
    byte[] big = joined(new byte[] {-2, -1}, "ab\n".getBytes(StandardCharsets.UTF_16BE));
    byte[] unmarked = "key-1\nkey-2\n".getBytes(StandardCharsets.UTF_16LE);
    byte[] unmarkedBig = "key-1\nkey-2\n".getBytes(StandardCharsets.UTF_16BE);
    for (byte[] content : List.of(little, big, unmarked, unmarkedBig)) {
      assertThatThrownBy(() -> read(content, LogFormat.lines()))
          .hasMessage("is UTF-16 or UTF-32; convert it to UTF-8 first");
    }
  }

  @Test
  void emptyLinesAreSkippedAndCounted() throws Exception {
    assertThat(lines("\na\n\r\n\n").counts)
        .isEqualTo(counts(4, 1, Map.of(Skip.EMPTY, new LogCounts.Skipped(3, 1)), false));
    assertThat(lines("").counts).isEqualTo(LogCounts.NONE);
    assertThat(lines("\n\n").counts.used()).isZero();
  }

  /** The same lines as a dumb splitter gives, however the stream is cut. */
  @Test
  void linesDoNotDependOnHowTheStreamIsCut() throws Exception {
    for (long seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      byte[] content = new byte[random.nextInt(3_000)];
      for (int i = 0; i < content.length; i++) {
        int kind = random.nextInt(20);
        content[i] = (byte) (kind == 0 ? '\n' : kind == 1 ? '\r' : 'a' + random.nextInt(26));
      }
      if (content.length > 0) {
        content[random.nextInt(content.length)] = '\n';
      }
      String text = new String(content, StandardCharsets.ISO_8859_1);
      List<String> expected = new ArrayList<>();
      for (String line : text.split("\n", -1)) {
        String key = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
        if (!key.isEmpty()) {
          expected.add(key);
        }
      }
      Read read = read(new Trickle(content, random), LogFormat.lines());
      assertThat(read.keys).as("seed " + seed).isEqualTo(expected);
    }
  }

  /** Gives a few bytes at a time, as pipes do. */
  private static final class Trickle extends InputStream {

    private final byte[] content;
    private final Random random;
    private int at;

    Trickle(byte[] content, Random random) {
      this.content = content;
      this.random = random;
    }

    @Override
    public int read() {
      return at == content.length ? -1 : content[at++] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (at == content.length) {
        return -1;
      }
      int count = Math.min(Math.min(length, content.length - at), 1 + random.nextInt(50));
      System.arraycopy(content, at, bytes, offset, count);
      at += count;
      return count;
    }

    @Override
    public int available() {
      return 0; // As a slow pipe says, in the middle of a file as well.
    }
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
      assertThat(read(line, LogFormat.lines()).keys)
          .containsExactly(new String(key, StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void packedLogsAreRecognisedByContentSeveralPartsIncluded() throws Exception {
    byte[] one = "a\nb".getBytes(StandardCharsets.UTF_8);
    byte[] two = "c\nd\n".getBytes(StandardCharsets.UTF_8);
    byte[] skippable = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3};
    Random random = new Random(5);
    for (byte[] packed :
        List.of(
            joined(gzip(one), gzip(two)),
            joined(Zstd.compress(one), Zstd.compress(two)),
            joined(skippable, Zstd.compress(one), skippable, Zstd.compress(two)))) {
      assertThat(read(packed, LogFormat.lines()).keys).containsExactly("a", "bc", "d");
      assertThat(read(new Trickle(packed, random), LogFormat.lines()).keys)
          .containsExactly("a", "bc", "d");
    }
    assertThat(read(gzip(new byte[0]), LogFormat.lines()).counts).isEqualTo(LogCounts.NONE);
  }

  @Test
  void otherPackingsAreNamedAndRefused() {
    Map<String, byte[]> begins =
        Map.of(
            "xz", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 0, 0, 0, 0},
            "bzip2", "BZh91AY&SY".getBytes(StandardCharsets.ISO_8859_1),
            "zip", new byte[] {'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0},
            "lz4", new byte[] {0x04, 0x22, 0x4d, 0x18, 0, 0, 0, 0, 0, 0});
    begins.forEach(
        (name, begin) ->
            assertThatThrownBy(() -> read(begin, LogFormat.lines()))
                .hasMessage("is packed with " + name + "; unpack it first, or use gzip or zstd"));
  }

  @Test
  void archivesAndWhatIsPackedTwiceAreRefused() throws Exception {
    byte[] tar = new byte[1024];
    tar[0] = 'f'; // Its name, filled up with zeroes.
    System.arraycopy("ustar".getBytes(StandardCharsets.US_ASCII), 0, tar, 257, 5);
    assertThatThrownBy(() -> read(gzip(tar), LogFormat.lines()))
        .hasMessage("is a tar archive; take the log out of it first");
    byte[] twice = gzip(gzip(new byte[] {'a'}));
    assertThatThrownBy(() -> read(twice, LogFormat.lines()))
        .hasMessage("is packed twice, with gzip inside; unpack it first");
    byte[] mixed = gzip(Zstd.compress(new byte[] {'a'}));
    assertThatThrownBy(() -> read(mixed, LogFormat.lines()))
        .hasMessage("is packed twice, with zstd inside; unpack it first");
    // Legal keys that look a little like something else.
    assertThat(lines("mustard\n".repeat(100)).keys).hasSize(100);
    assertThat(lines("\0\n\0\n").keys).containsExactly("\0", "\0");
    assertThat(lines("a" + "\0".repeat(80) + "\nb\n").keys).hasSize(2);
    assertThat(lines("\1\0\0\0\0\0\0\0\n").keys).hasSize(1);
  }

  private static byte[] manyLines(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      text.append("user").append(random.nextInt(1_000_000)).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Cut anywhere, a packed log is an error that keeps what came before; never a quiet part. */
  @Test
  void aPackedLogThatIsCutIsAnError() throws Exception {
    Random random = new Random(7);
    byte[] plain = manyLines(random);
    List<String> all = read(plain, LogFormat.lines()).keys;
    byte[] half = Arrays.copyOf(plain, plain.length / 2);
    byte[] rest = Arrays.copyOfRange(plain, plain.length / 2, plain.length);
    List<byte[]> packed =
        List.of(
            gzip(plain),
            joined(gzip(half), gzip(rest)),
            Zstd.compress(plain),
            joined(Zstd.compress(half), Zstd.compress(rest)));
    for (byte[] whole : packed) {
      int boundary = whole == packed.get(1) ? gzip(half).length : -1;
      boundary = whole == packed.get(3) ? Zstd.compress(half).length : boundary;
      for (int i = 0; i < 100; i++) {
        // Some cuts within the first bytes of a part, where a header is half there.
        boolean anywhere = boundary < 0 || i % 2 == 0;
        int near = anywhere ? 1 + random.nextInt(whole.length - 1) : boundary + 1 + i / 2 % 12;
        if (near == boundary) {
          continue; // A whole first part is a whole log.
        }
        byte[] cut = Arrays.copyOf(whole, near);
        List<String> keys = new ArrayList<>();
        if (near < 4) {
          continue; // Not even the mark of the packing is there.
        }
        KeyLogException e =
            catchThrowableOfType(
                KeyLogException.class,
                () ->
                    KeyLog.readKeys(new ByteArrayInputStream(cut), LogFormat.lines(), into(keys)));
        assertThat(e).as("cut at " + near + " of " + whole.length).isNotNull();
        assertThat(e.getMessage()).contains("is damaged ");
        assertThat(e.counts().used()).isEqualTo(keys.size());
        assertThat(all.subList(0, keys.size())).isEqualTo(keys);
      }
    }
  }

  @Test
  void zeroesAfterGzipArePadding() throws Exception {
    byte[] one = gzip("a\nb\n".getBytes(StandardCharsets.UTF_8));
    assertThat(read(joined(one, new byte[700]), LogFormat.lines()).keys).containsExactly("a", "b");
    assertThat(read(joined(one, new byte[3], one), LogFormat.lines()).keys)
        .containsExactly("a", "b", "a", "b");
  }

  @Test
  void garbageAfterAPackedLogIsAnError() throws Exception {
    byte[] one = "a\nb\n".getBytes(StandardCharsets.UTF_8);
    byte[] garbage = "garbage".getBytes(StandardCharsets.UTF_8);
    for (byte[] packed : List.of(gzip(one), Zstd.compress(one))) {
      List<String> keys = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  KeyLog.readKeys(
                      new ByteArrayInputStream(joined(packed, garbage)),
                      LogFormat.lines(),
                      into(keys)))
          .isInstanceOf(KeyLogException.class)
          .hasMessageContaining("is damaged ");
      assertThat(keys).containsExactly("a", "b");
    }
  }

  /** Flipped bits: the true keys, or an error, since both packings have checksums. */
  @Test
  void aDamagedPackedLogGivesNoWrongKeysUnnoticed() throws Exception {
    Random random = new Random(11);
    byte[] plain = manyLines(random);
    List<String> all = read(plain, LogFormat.lines()).keys;
    byte[] whole = gzip(plain);
    for (int i = 0; i < 100; i++) {
      byte[] damaged = whole.clone();
      int at = 10 + random.nextInt(whole.length - 10);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      try {
        assertThat(read(damaged, LogFormat.lines()).keys).as("bit in byte " + at).isEqualTo(all);
      } catch (KeyLogException e) {
        assertThat(e.getMessage()).contains("is damaged gzip");
      }
    }
  }

  /** Bytes put anywhere into a plain log spoil the lines that they fall into, and no others. */
  @Test
  void insertedBytesSpoilTheirOwnLinesOnly() throws Exception {
    Random random = new Random(13);
    byte[] plain = manyLines(random);
    List<String> all = read(plain, LogFormat.lines()).keys;
    for (int i = 0; i < 100; i++) {
      int at = random.nextInt(plain.length);
      byte[] noise = new byte[1 + random.nextInt(20)];
      random.nextBytes(noise);
      byte[] spoiled =
          joined(Arrays.copyOf(plain, at), noise, Arrays.copyOfRange(plain, at, plain.length));
      List<String> keys;
      try {
        keys = read(spoiled, LogFormat.lines()).keys;
      } catch (KeyLogException e) {
        assertThat(at).as(e.getMessage()).isZero(); // It looked like a packing.
        continue;
      }
      int before = 0;
      while (before < Math.min(all.size(), keys.size())
          && all.get(before).equals(keys.get(before))) {
        before++;
      }
      int after = 0;
      while (after < all.size() - before
          && all.get(all.size() - 1 - after).equals(keys.get(keys.size() - 1 - after))) {
        after++;
      }
      assertThat(all.size() - before - after).as("at " + at).isLessThanOrEqualTo(1);
    }
  }

  /** The stream itself fails: not the content's fault, so not called damage. */
  @Test
  void aStreamThatFailsIsNotDamage() throws Exception {
    byte[] packed = gzip(manyLines(new Random(1)));
    InputStream half = new ByteArrayInputStream(packed, 0, packed.length / 2);
    InputStream failing =
        new SequenceInputStream(
            half,
            new FilterInputStream(InputStream.nullInputStream()) {
              @Override
              public int read() throws IOException {
                throw new IOException("the disk is broken");
              }

              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("the disk is broken");
              }
            });
    List<String> keys = new ArrayList<>();
    assertThatThrownBy(() -> KeyLog.readKeys(failing, LogFormat.lines(), into(keys)))
        .isInstanceOf(KeyLogException.class)
        .hasMessageMatching("can't be read after line \\d+: the disk is broken");
    assertThat(keys).isNotEmpty();
  }

  @Test
  void longLinesAreSkippedAndCounted() throws Exception {
    String longest = "x".repeat(KeyLog.MOST_BYTES);
    for (String end : List.of("\n", "\r\n")) {
      Read read =
          lines("a" + end + longest + end + longest + "y" + end + longest.repeat(5) + end + "b");
      assertThat(read.counts)
          .isEqualTo(counts(5, 3, Map.of(Skip.TOO_LONG, new LogCounts.Skipped(2, 3)), true));
      assertThat(read.keys).containsExactly("a", longest, "b");
    }
  }

  @Test
  void aLineWithoutEndTakesBoundedMemory() throws Exception {
    InputStream endless =
        new InputStream() {
          private long left = 3L << 30; // More than any array holds.

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
    assertThat(read(endless, LogFormat.lines()).counts)
        .isEqualTo(counts(1, 0, Map.of(Skip.TOO_LONG, new LogCounts.Skipped(1, 1)), true));
  }

  @Test
  void jsonStringsCanBeAnyKey() throws Exception {
    String content = "\"a\\nb\"\n\"\"\n\n\"\\u00fc\"\n";
    Read read = read(content.getBytes(StandardCharsets.UTF_8), LogFormat.jsonl());
    assertThat(read.counts)
        .isEqualTo(counts(4, 3, Map.of(Skip.EMPTY, new LogCounts.Skipped(1, 3)), false));
    assertThat(read.keys).containsExactly("a\nb", "", "\u00c3\u00bc");
  }

  @Test
  void badJsonIsAnErrorThatNamesTheLine() {
    for (String bad : List.of("\"\\ud800\"", "a", "5", "{}", "\"a", "[\"a\"]", "\"a\" \"b\"")) {
      assertThatThrownBy(
              () -> read(("\"a\"\n" + bad).getBytes(StandardCharsets.UTF_8), LogFormat.jsonl()))
          .isInstanceOf(KeyLogException.class)
          .hasMessageStartingWith("line 2 ");
    }
  }
}
