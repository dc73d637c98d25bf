package dev.beltway.lab.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogFormatTest {

  private static final Path DATA = Path.of("../examples/data");

  /** One request, kept. */
  private record Seen(
      String key, Operation operation, long count, long size, long time, long ttl) {}

  private record Read(LogCounts counts, List<Seen> requests) {

    Map<String, Long> byKey() {
      Map<String, Long> sums = new HashMap<>();
      requests.forEach(request -> sums.merge(request.key, request.count, Long::sum));
      return sums;
    }

    Map<Operation, Long> byOperation() {
      Map<Operation, Long> sums = new TreeMap<>();
      requests.forEach(request -> sums.merge(request.operation, 1L, Long::sum));
      return sums;
    }

    List<String> keys() {
      return requests.stream().map(Seen::key).toList();
    }
  }

  private static Read read(InputStream in, LogFormat format) throws Exception {
    List<Seen> requests = new ArrayList<>();
    LogCounts counts =
        KeyLog.read(
            in,
            format,
            r ->
                requests.add(
                    new Seen(
                        new String(r.bytes(), r.offset(), r.length(), StandardCharsets.ISO_8859_1),
                        r.operation(),
                        r.count(),
                        r.size(),
                        r.time(),
                        r.ttl())));
    return new Read(counts, requests);
  }

  private static Read read(String content, LogFormat format) throws Exception {
    byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
    return read(new ByteArrayInputStream(bytes), format);
  }

  private static Read file(String name, LogFormat format) throws Exception {
    try (InputStream in = Files.newInputStream(DATA.resolve(name))) {
      return read(in, format);
    }
  }

  private static Columns columns(
      String key, @Nullable String operation, @Nullable String size, @Nullable String time) {
    return new Columns(
        key,
        Optional.ofNullable(operation),
        Optional.ofNullable(size),
        Optional.empty(),
        Optional.ofNullable(time),
        Optional.empty(),
        false);
  }

  /** The counts that examples/data/SOURCE.md states. */
  @Test
  void theKeyLogsHaveTheCountsOfTheirSource() throws Exception {
    Map<String, long[]> files =
        Map.of(
            "wiki_edits_keys.txt", new long[] {31_548, 29_087},
            "ecommerce_orm_busy_200k.txt", new long[] {200_000, 22_024},
            "ecommerce_web12_product_pages.txt", new long[] {95_607, 13_756},
            "words_alpha_crlf.txt.gz", new long[] {370_099, 370_099});
    for (Map.Entry<String, long[]> file : files.entrySet()) {
      Read read = file(file.getKey(), LogFormat.lines());
      assertThat(read.counts)
          .isEqualTo(
              new LogCounts(
                  file.getValue()[0],
                  file.getValue()[0],
                  file.getValue()[0],
                  0,
                  Map.of(),
                  file.getKey().startsWith("words")));
      assertThat(read.byKey()).as(file.getKey()).hasSize((int) file.getValue()[1]);
      assertThat(read.keys())
          .noneMatch(key -> key.contains("\r") || key.startsWith("\u00ef\u00bb\u00bf"));
    }
  }

  @Test
  void theTwitterSample() throws Exception {
    Read read = file("twitter_twemcache_sample.csv", LogFormat.twitter());
    assertThat(read.counts.used()).isEqualTo(100);
    assertThat(read.counts.unended()).isTrue();
    assertThat(read.counts.skipped()).isEmpty();
    assertThat(read.byKey()).hasSize(85);
    // get 91 and gets 2 read; add 5 and cas 2 write.
    assertThat(read.byOperation()).isEqualTo(Map.of(Operation.READ, 93L, Operation.WRITE, 7L));
    assertThat(read.requests.get(0))
        .isEqualTo(new Seen("q:q:1:8WTwl7huJeQ", Operation.READ, 1, 249, 0, 0));
    assertThat(read.requests.stream().anyMatch(request -> request.ttl > 0)).isTrue();
  }

  @Test
  void twitterKeysMayHaveCommas() throws Exception {
    Read read = read("7,a,b,,c,7,10,3,set,60\n", LogFormat.twitter());
    assertThat(read.requests)
        .containsExactly(new Seen("a,b,,c", Operation.WRITE, 1, 10, 7_000, 60_000));
    assertThat(read("1,2,3,4,5,6\n", LogFormat.twitter()).counts.skipped(Skip.MALFORMED)).isOne();
    assertThat(read("1,,2,3,4,get,0\n", LogFormat.twitter()).counts.skipped(Skip.EMPTY_KEY))
        .isOne();
    assertThat(read("x,k,2,3,4,get,0\n", LogFormat.twitter()).counts.skipped(Skip.MALFORMED))
        .isOne();
  }

  /** The two samples have different orders of columns, and count requests. */
  @Test
  void theMetaSamples() throws Exception {
    Read first = file("meta_kvcache_trace_1.csv", LogFormat.meta());
    assertThat(first.counts.skipped()).isEqualTo(Map.of(Skip.HEADER, new LogCounts.Skipped(1, 1)));
    assertThat(first.counts.used()).isEqualTo(99);
    assertThat(first.byKey()).hasSize(52);
    assertThat(first.counts.requests())
        .isEqualTo(first.requests.stream().mapToLong(Seen::count).sum())
        .isGreaterThan(99);
    assertThat(first.requests.get(3))
        .isEqualTo(new Seen("4ccc6e0fdd163416", Operation.READ, 3, 8, 604_038_471_000L, 0));

    Read second = file("meta_kvcache_trace_2.csv", LogFormat.meta());
    assertThat(second.byKey()).hasSize(62);
    assertThat(second.requests.get(3))
        .isEqualTo(new Seen("2776285353", Operation.WRITE, 1, 11, 603_347_270_000L, 7_200_000));
    assertThatThrownBy(() -> file("twitter_twemcache_sample.csv", LogFormat.meta()))
        .isInstanceOf(KeyLogException.class)
        .hasMessageStartingWith("line 1 names no column \"key\" but 0, q:q:1:8WTwl7huJeQ");
  }

  @Test
  void theApachePaths() throws Exception {
    Read read = file("apache_paths_10k.tsv", LogFormat.tsv(columns("3", "2", "5", "1")));
    assertThat(read.counts.used()).isEqualTo(10_000);
    assertThat(read.counts.skipped()).isEmpty();
    assertThat(read.byKey()).hasSize(1_498).containsEntry("/favicon.ico", 807L);
    assertThat(read.requests.get(0))
        .isEqualTo(
            new Seen(
                "/presentations/logstash-monitorama-2013/images/kibana-search.png",
                Operation.READ,
                1,
                203_023,
                1_431_857_103_000L,
                0));
  }

  @Test
  void theWikipediaTitlesByColumn() throws Exception {
    Read read = file("wiki_edits_titles.tsv.gz", LogFormat.tsv(columns("3", null, null, "1")));
    assertThat(read.counts.used()).isEqualTo(31_548);
    assertThat(read.requests.get(0).key).isEqualTo("Rallicula");
    assertThat(read.requests.get(0).time)
        .isEqualTo(Instant.parse("2015-09-10T00:47:00.496Z").toEpochMilli());
  }

  @Test
  void columnsByName() throws Exception {
    Columns named =
        new Columns(
            "the key",
            Optional.of("verb"),
            Optional.of("bytes"),
            Optional.of("n"),
            Optional.of("at"),
            Optional.of("lives"),
            false);
    String header = "n,verb,the key,bytes,lives,at\n";
    Read read =
        read(
            header
                + "2,SET,k1,10,1.5,100.25\n"
                + "1,del,\"a \"\"b\"\", c\",,,7\n"
                + "0,get,none,1,1,1\n" // A count of nothing.
                + "1,get,short\n"
                + "1,get,\"unended,1,1,1\n"
                + "1,get,\"x\"y,1,1,1\n"
                + "1,get,,1,1,1\n"
                + "1,get,k,-5,1,1\n"
                + "1,get,k,5,1,yesterday\n"
                + "1,get,k,-,1,2\n",
            LogFormat.csv(named));
    assertThat(read.requests)
        .containsExactly(
            new Seen("k1", Operation.WRITE, 2, 10, 100_250, 1_500),
            new Seen("a \"b\", c", Operation.DELETE, 1, 0, 7_000, 0),
            new Seen("k", Operation.READ, 1, 0, 2_000, 1_000));
    assertThat(read.counts.skipped())
        .isEqualTo(
            Map.of(
                Skip.HEADER, new LogCounts.Skipped(1, 1),
                Skip.MALFORMED, new LogCounts.Skipped(6, 4),
                Skip.EMPTY_KEY, new LogCounts.Skipped(1, 8)));
    assertThatThrownBy(() -> read("a,b\n1,2\n", LogFormat.csv(named)))
        .hasMessage("line 1 names no column \"the key\" but a, b");
    assertThatThrownBy(() -> read("the key,verb\n1,2\n", LogFormat.csv(named)))
        .hasMessage("line 1 names no column \"bytes\" but the key, verb");
  }

  @Test
  void columnsAreChecked() {
    for (String bad : List.of("", "0", "1001", "00000")) {
      assertThatThrownBy(() -> Columns.key(bad)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Columns.key("key").header()).isTrue();
    assertThat(Columns.key("1000").header()).isFalse();
  }

  /** Whatever fields are written by the rule are read again. */
  @Test
  void quotedFieldsAreReadAsTheyWereWritten() throws Exception {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      StringBuilder content = new StringBuilder();
      List<String> expected = new ArrayList<>();
      for (int line = 0; line < 20; line++) {
        int fields = 3 + random.nextInt(20);
        List<String> row = new ArrayList<>();
        for (int i = 0; i < fields; i++) {
          StringBuilder field = new StringBuilder(i == 2 ? "k" : "");
          int length = random.nextInt(8);
          for (int c = 0; c < length; c++) {
            field.append(",\"ab ;\t'".charAt(random.nextInt(8)));
          }
          row.add(field.toString());
        }
        expected.add(row.get(2));
        List<String> written =
            row.stream()
                .map(
                    field ->
                        field.contains(",") || field.contains("\"") || random.nextBoolean()
                            ? '"' + field.replace("\"", "\"\"") + '"'
                            : field)
                .toList();
        content.append(String.join(",", written)).append(random.nextBoolean() ? "\n" : "\r\n");
      }
      Read read = read(content.toString(), LogFormat.csv(Columns.key("3")));
      assertThat(read.keys()).as("seed " + seed).isEqualTo(expected);
    }
  }

  /** Lines that a Redis 7.0 printed. */
  @Test
  void monitorOutput() throws Exception {
    String content =
        """
        OK
        1796049252.344581 [0 127.0.0.1:33706] "set" "k\\"1\\\\" "v"
        1796049252.360879 [0 127.0.0.1:33722] "mset" "a" "1" "b" "2" "c d" "3"
        1796049252.374972 [0 127.0.0.1:33728] "eval" "return redis.call(\\"get\\",KEYS[1])" "1" "luakey"
        1796049252.375203 [0 lua] "get" "luakey"
        1796049252.414797 [0 127.0.0.1:33748] "SET" "nl\\nkey\\xff" "y" "ex" "100"
        1796049252.428543 [3 127.0.0.1:33758] "xread" "count" "2" "streams" "s1" "s2" "0" "0"
        1796049252.443064 [0 127.0.0.1:33760] "ping"
        1796049252.457467 [0 127.0.0.1:33766] "auth" "(redacted)" "(redacted)"
        1796049252.471195 [0 [::1]:60866] "incr" "six"
        1796049252.471196 [0 unix:/tmp/r.sock] "object" "encoding" "o"
        1796049252.471197 [0 127.0.0.1:1] "zunionstore" "dest" "2" "z1" "z2" "weights" "1" "2"
        1796049252.471198 [0 127.0.0.1:1] "JSON.GET" "module:key" "$"
        1796049252.471199 [0 127.0.0.1:1] "unlink" "u1" "u2"
        1796049252.471200 [0 127.0.0.1:1] "get" ""
        1796049252.471201 [0 127.0.0.1:1] "get" "cut
        not a line of it
        """;
    Read read = read(content, LogFormat.monitor());
    assertThat(read.keys())
        .containsExactly(
            "k\"1\\",
            "a",
            "b",
            "c d",
            "luakey",
            "nl\nkey\u00ff",
            "s1",
            "s2",
            "six",
            "o",
            "dest",
            "z1",
            "z2",
            "module:key",
            "u1",
            "u2",
            "");
    assertThat(read.counts.skipped())
        .isEqualTo(
            Map.of(
                Skip.NO_KEY, new LogCounts.Skipped(3, 1),
                Skip.IN_SCRIPT, new LogCounts.Skipped(1, 5),
                Skip.MALFORMED, new LogCounts.Skipped(2, 16)));
    assertThat(read.counts.used()).isEqualTo(11);
    assertThat(read.counts.requests()).isEqualTo(17);
    assertThat(read.requests.get(5))
        .isEqualTo(new Seen("nl\nkey\u00ff", Operation.WRITE, 1, 0, 1_796_049_252_414L, 100_000));
    assertThat(read.requests.get(6).operation).isEqualTo(Operation.READ);
    assertThat(read.requests.get(14).operation).isEqualTo(Operation.DELETE);
  }

  @Test
  void redisCommandsWithKeysInUnusualPlaces() throws Exception {
    Map<String, List<String>> commands = new HashMap<>();
    commands.put("\"BITOP\" \"AND\" \"d\" \"s1\" \"s2\"", List.of("d", "s1", "s2"));
    commands.put("\"LMPOP\" \"2\" \"l1\" \"l2\" \"LEFT\"", List.of("l1", "l2"));
    commands.put("\"EVALSHA\" \"f00\" \"0\"", List.of());
    commands.put("\"EVALSHA\" \"f00\" \"999\" \"k\"", List.of("k"));
    commands.put("\"EVALSHA\" \"f00\" \"-1\" \"k\"", List.of());
    commands.put("\"XREADGROUP\" \"GROUP\" \"g\" \"c\" \"STREAMS\" \"s\" \">\"", List.of("s"));
    commands.put("\"MSETNX\" \"a\" \"1\" \"b\" \"2\"", List.of("a", "b"));
    commands.put("\"BLPOP\" \"a\" \"b\" \"0\"", List.of("a", "b"));
    commands.put("\"XGROUP\" \"CREATE\" \"s\" \"g\" \"$\"", List.of("s"));
    commands.put(
        "\"MIGRATE\" \"h\" \"1\" \"\" \"0\" \"9\" \"KEYS\" \"a\" \"b\"", List.of("a", "b"));
    commands.put("\"GEORADIUS\" \"g\" \"1\" \"2\" \"3\" \"m\" \"STORE\" \"t\"", List.of("g", "t"));
    commands.put("\"SUBSCRIBE\" \"channel\"", List.of());
    commands.put("\"OBJECT\"", List.of());
    commands.put("\"SORT\" \"list\" \"BY\" \"w_*\"", List.of("list"));
    commands.put("\"SORT\" \"l\" \"GET\" \"o_*\" \"store\" \"d\"", List.of("l", "d"));
    for (Map.Entry<String, List<String>> command : commands.entrySet()) {
      Read read = read("1.5 [0 127.0.0.1:1] " + command.getKey() + "\n", LogFormat.monitor());
      assertThat(read.keys()).as(command.getKey()).isEqualTo(command.getValue());
    }
  }

  @Test
  void accessLogs() throws Exception {
    String content =
        """
        127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326
        ::1 - - [10/Oct/2000:13:55:37 -0700] "POST /a?b=c&d HTTP/1.1" 302 - "http://x/" "agent \\"q\\""
        ::1 - - [10/Oct/2000:13:55:37 -0700] "DELETE /with space HTTP/2.0" 204 0 "-" "-"
        ::1 - - [10/Oct/2000:13:55:37 -0700] "GET /x\\xff\\"y HTTP/1.1" 200 1
        ::1 - - [10/Oct/2000:13:55:37 -0700] "GET /old" 200 1
        ::1 - - [10/Oct/2000:13:55:37 -0700] "-" 408 -
        ::1 - - [10/Oct/2000:13:55:37 -0700] "\\x16\\x03\\x01" 400 226
        ::1 - - [32/Oct/2000:13:55:37 -0700] "GET / HTTP/1.1" 200 1
        ::1 - - [10/Oct/2000:13:55:37 -0700] "GET / HTTP/1.1" ok 1
        ::1 - - [10/Oct/2000:13:55:37 -0700] "GET / HTTP/1.1
        nonsense
        """;
    Read read = read(content, LogFormat.access());
    long first = Instant.parse("2000-10-10T20:55:36Z").toEpochMilli();
    assertThat(read.requests)
        .containsExactly(
            new Seen("/apache_pb.gif", Operation.READ, 1, 2326, first, 0),
            new Seen("/a?b=c&d", Operation.WRITE, 1, 0, first + 1000, 0),
            new Seen("/with space", Operation.DELETE, 1, 0, first + 1000, 0),
            new Seen("/x\u00ff\"y", Operation.READ, 1, 1, first + 1000, 0),
            new Seen("/old", Operation.READ, 1, 1, first + 1000, 0));
    assertThat(read.counts.skipped(Skip.NO_KEY)).isEqualTo(2);
    assertThat(read.counts.skipped(Skip.MALFORMED)).isEqualTo(4);
  }

  @Test
  void whatRedisCommandsDo() throws Exception {
    Map<String, Seen> commands = new HashMap<>();
    long now = 1_000_000_000_000L;
    commands.put("\"EXPIRE\" \"k\" \"60\"", new Seen("k", Operation.EXPIRE, 1, 0, now, 60_000));
    commands.put("\"persist\" \"k\"", new Seen("k", Operation.EXPIRE, 1, 0, now, 0));
    commands.put(
        "\"pexpireat\" \"k\" \"" + (now + 5) + "\"", new Seen("k", Operation.EXPIRE, 1, 0, now, 5));
    commands.put("\"expire\" \"k\" \"-1\"", new Seen("k", Operation.DELETE, 1, 0, now, 0));
    commands.put("\"setex\" \"k\" \"7\" \"v\"", new Seen("k", Operation.WRITE, 1, 0, now, 7_000));
    commands.put(
        "\"set\" \"k\" \"v\" \"nx\" \"px\" \"9\"", new Seen("k", Operation.WRITE, 1, 0, now, 9));
    commands.put("\"set\" \"k\" \"v\" \"keepttl\"", new Seen("k", Operation.MODIFY, 1, 0, now, 0));
    commands.put("\"hset\" \"k\" \"f\" \"v\"", new Seen("k", Operation.MODIFY, 1, 0, now, 0));
    commands.put("\"getdel\" \"k\"", new Seen("k", Operation.DELETE, 1, 0, now, 0));
    commands.put("\"rename\" \"k\" \"l\"", new Seen("k", Operation.DELETE, 1, 0, now, 0));
    commands.put("\"getex\" \"k\"", new Seen("k", Operation.READ, 1, 0, now, 0));
    commands.put("\"copy\" \"k\" \"l\"", new Seen("k", Operation.READ, 1, 0, now, 0));
    commands.put(
        "\"migrate\" \"h\" \"1\" \"k\" \"0\" \"9\"", new Seen("k", Operation.DELETE, 1, 0, now, 0));
    commands.put("\"expire\" \"k\" \"abc\"", new Seen("k", Operation.OTHER, 1, 0, now, 0));
    commands.put("\"setex\" \"k\" \"0\" \"v\"", new Seen("k", Operation.OTHER, 1, 0, now, 0));
    commands.put(
        "\"georadius\" \"k\" \"1\" \"2\" \"3\" \"m\"", new Seen("k", Operation.READ, 1, 0, now, 0));
    for (Map.Entry<String, Seen> command : commands.entrySet()) {
      Read read =
          read("1000000000.000 [0 [::1]:1] " + command.getKey() + "\n", LogFormat.monitor());
      assertThat(read.requests.get(0)).as(command.getKey()).isEqualTo(command.getValue());
    }
  }

  /** No line, however spoiled, ends in anything but a request or a reason. */
  @Test
  void spoiledLinesAreSkippedWithAReason() throws Exception {
    Map<LogFormat, String> samples =
        Map.of(
            LogFormat.monitor(), "1796049252.360879 [0 127.0.0.1:33722] \"mset\" \"a\" \"\\x0a\"\n",
            LogFormat.access(),
                "::1 - - [10/Oct/2000:13:55:37 -0700] \"GET /x HTTP/1.1\" 302 - \"-\" \"a\"\n",
            LogFormat.twitter(), "0,yDqF:gY:1AJ,27,27,3,get,60\n",
            LogFormat.csv(columns("3", "2", "5", "1")), "14.5,get,\"a \"\"key\",200,17\n",
            LogFormat.tsv(columns("3", "2", "5", "1")), "2015-09-10T00:47:00.496Z\tGET\t/\t1\t-\n");
    for (Map.Entry<LogFormat, String> sample : samples.entrySet()) {
      for (long seed = 0; seed < 3_000; seed++) {
        Random random = new Random(seed);
        StringBuilder line = new StringBuilder(sample.getValue());
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && line.length() > 0; i++) {
          int at = random.nextInt(line.length());
          switch (random.nextInt(3)) {
            case 0 -> line.deleteCharAt(at);
            case 1 -> line.insert(at, (char) random.nextInt(256));
            default -> line.setCharAt(at, "\"\\,[] \t.0-9x".charAt(random.nextInt(12)));
          }
        }
        long[] visits = new long[1];
        LogCounts counts =
            KeyLog.read(
                new ByteArrayInputStream(line.toString().getBytes(StandardCharsets.ISO_8859_1)),
                sample.getKey(),
                request -> {
                  visits[0]++;
                  assertThat(request.count()).isPositive();
                  assertThat(request.size()).isNotNegative();
                  assertThat(request.ttl()).isNotNegative();
                });
        long skipped = counts.skipped().values().stream().mapToLong(s -> s.lines()).sum();
        String what = sample.getKey().name() + " seed " + seed + ": " + line;
        assertThat(counts.used() + skipped).as(what).isEqualTo(counts.lines());
        assertThat(visits[0]).as(what).isGreaterThanOrEqualTo(counts.used());
        assertThat(visits[0] == 0).as(what).isEqualTo(counts.used() == 0);
      }
    }
  }

  @Test
  void countsThatDoNotAddUpAreRefused() throws Exception {
    Columns counted =
        new Columns(
            "1",
            Optional.empty(),
            Optional.of("2"),
            Optional.of("3"),
            Optional.empty(),
            Optional.empty(),
            false);
    String large = "k," + Request.MOST_SIZE + "," + Request.MOST_COUNT + "\n";
    assertThatThrownBy(() -> read("k,1,1\n" + large, LogFormat.csv(counted)))
        .isInstanceOf(KeyLogException.class)
        .hasMessage("line 2 makes the sum of counts too large");
    String larger = "k," + (Request.MOST_SIZE + 1) + ",1\n";
    assertThat(read(larger, LogFormat.csv(counted)).counts.skipped(Skip.MALFORMED)).isOne();
  }
}
