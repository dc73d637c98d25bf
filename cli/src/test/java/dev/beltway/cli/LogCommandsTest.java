package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.lab.report.Page;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code lab log} and {@code lab replay}, from the command line to what is printed. */
class LogCommandsTest {

  private static final String EIGHT = Cli.example("eight.yaml");
  private static final String TEN = Cli.example("ten.yaml");

  @TempDir private Path folder;

  private static String data(String name) {
    return Cli.example("data/" + name);
  }

  private static byte[] gzip(String content) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content.getBytes(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  private static String keys(int count) {
    StringBuilder text = new StringBuilder();
    IntStream.range(0, count)
        .forEach(i -> text.append("key-").append(i * 7919 % 1000).append('\n'));
    return text.toString();
  }

  private static Cli.Run log(String... more) {
    return Cli.run(joined(List.of("lab", "log", "--topology", EIGHT), more));
  }

  private static Cli.Run replay(String... more) {
    return Cli.run(joined(List.of("lab", "replay", "--before", EIGHT, "--after", TEN), more));
  }

  private static String[] joined(List<String> first, String... more) {
    String[] all = Arrays.copyOf(first.toArray(String[]::new), first.size() + more.length);
    System.arraycopy(more, 0, all, first.size(), more.length);
    return all;
  }

  private static JsonNode json(Cli.Run run) throws Exception {
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void theApacheLog() throws Exception {
    Cli.Run run = log("--format", "tsv", "--key", "3", data("apache_paths_10k.tsv"));
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("10,000 lines, 10,000 used, none skipped")
        .contains("10,000 requests for 1,498 different keys")
        .containsPattern("/favicon.ico +807 +8.07 % +cache-h");
  }

  @Test
  void jsonAndCsvHaveTheSameNumbers() throws Exception {
    String[] options = {
      "--after", TEN, "--format", "tsv", "--key", "3", "--op", "2", "--size", "5", "--time", "1"
    };
    String[] asJson = joined(Arrays.asList(options), "--json", data("apache_paths_10k.tsv"));
    JsonNode root = json(log(asJson));
    assertThat(root.at("/read/used").asLong()).isEqualTo(10_000);
    assertThat(root.at("/read/partial").asBoolean()).isFalse();
    assertThat(root.at("/load/nodes")).hasSize(8);
    assertThat(root.at("/movement/load/nodes")).hasSize(10);
    assertThat(root.at("/movement/betweenStaying").asDouble()).isZero();
    assertThat(root.at("/hottest/keys/0/hex").asText())
        .isEqualTo("2f66617669636f6e2e69636f"); // /favicon.ico
    assertThat(root.at("/from").asText()).isEqualTo("2015-05-17T10:05:00Z");
    assertThat(root.at("/remedies")).hasSize(3);
    long requests = 0;
    for (JsonNode node : root.at("/load/nodes")) {
      requests += node.get("requests").asLong();
    }
    assertThat(requests).isEqualTo(10_000);

    Cli.Run csv = log(joined(Arrays.asList(options), "--csv", data("apache_paths_10k.tsv")));
    List<String> rows = csv.out().lines().toList();
    assertThat(rows).hasSize(1 + 8 + 10);
    assertThat(rows.get(0)).startsWith("when,node,fair,expected,keys,");
    JsonNode first = root.at("/load/nodes/0");
    assertThat(rows.get(1).split(",")[7]).isEqualTo(first.get("requests").asText());
    assertThat(log("--json", "--csv", data("apache_paths_10k.tsv")).code()).isEqualTo(2);
  }

  @Test
  void exactAndSketchedAgreeOnSmallLogs() throws Exception {
    Path file = Files.writeString(folder.resolve("keys"), keys(5_000));
    JsonNode exact = json(log("--exact", "--json", file.toString()));
    JsonNode sketched = json(log("--json", file.toString()));
    assertThat(exact.at("/hottest/keys")).isEqualTo(sketched.at("/hottest/keys"));
    assertThat(exact.at("/load/keys/estimate")).isEqualTo(sketched.at("/load/keys/estimate"));
    assertThat(exact.at("/load/keys/lower")).isEqualTo(exact.at("/load/keys/upper"));
  }

  @Test
  void standardInputAndSeveralFiles() throws Exception {
    Path one = Files.writeString(folder.resolve("one"), "a\nb\n\n");
    Path two = Files.write(folder.resolve("two"), gzip("\n\nc\n"));
    Cli.Run run = log("--json", one.toString(), two.toString());
    JsonNode root = json(run);
    assertThat(root.at("/read/lines").asLong()).isEqualTo(6);
    assertThat(root.at("/read/skipped/empty/lines").asLong()).isEqualTo(3);
    assertThat(root.at("/read/skipped/empty/first").asLong()).isEqualTo(3);
    assertThat(run.err()).contains("3 skipped: 3 empty (the first in line 3)");
    Cli.Run piped =
        Cli.runWith(
            "1.5 [0 127.0.0.1:1] \"get\" \"k\"\n".getBytes(StandardCharsets.UTF_8),
            "lab",
            "log",
            "--topology",
            EIGHT,
            "--format",
            "monitor",
            "--json",
            "-");
    assertThat(json(piped).at("/hottest/keys/0/key").asText()).isEqualTo("k");
  }

  /** What was read is told, as a part, and the exit code says so. */
  @Test
  void aDamagedLogIsReportedAsPartial() throws Exception {
    byte[] whole = gzip(keys(200_000));
    Path cut = Files.write(folder.resolve("cut.gz"), Arrays.copyOf(whole, whole.length / 2));
    Path report = folder.resolve("r.html");
    Cli.Run run = log("--report", report.toString(), cut.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).contains("PARTIAL: ").contains("is damaged gzip after line ");
    assertThat(run.err()).contains("it ends early (what came before it is reported)");
    assertThat(Files.readString(report)).contains("PARTIAL: ").contains("class=\"alarm\"");
    Cli.Run json = log("--json", cut.toString());
    assertThat(json.code()).isEqualTo(2);
    assertThat(json(json).at("/read/partial").asBoolean()).isTrue();
    assertThat(json(json).at("/read/used").asLong()).isBetween(50_000L, 199_999L);
    Cli.Run replayed = replay("--at", "1000", cut.toString());
    assertThat(replayed.code()).isEqualTo(2);
    assertThat(replayed.out()).contains("PARTIAL: ");
  }

  @Test
  void badInputIsOneLineAndExitCode2() throws Exception {
    Path nothing = Files.writeString(folder.resolve("nothing"), "");
    Path blank = Files.writeString(folder.resolve("blank"), "\n\n\n");
    Path utf16 = Files.write(folder.resolve("utf16"), "a\n".getBytes(StandardCharsets.UTF_16));
    String keys = Files.writeString(folder.resolve("keys"), "a\nb\n").toString();
    List<List<String>> calls =
        List.of(
            List.of("there is no line in it", nothing.toString()),
            List.of("none of 3 lines has a key: 3 empty", blank.toString()),
            List.of("is UTF-16", utf16.toString()),
            List.of(
                "none of 2 lines has a key: 2 not of the format, or with",
                "--format",
                "twitter",
                keys),
            List.of("names no column \"key\"", "--format", "meta", keys),
            List.of("not one of lines, csv", "--format", "x", keys),
            List.of("--key: say which column", "--format", "csv", keys),
            List.of("columns are for csv and tsv", "--key", "1", keys),
            List.of("--ttl: needs --time", "--format", "csv", "--key", "1", "--ttl", "2", keys),
            List.of("column 0 is outside 1 to 1000", "--format", "csv", "--key", "0", keys),
            List.of("there is no such file", "missing"),
            List.of("--top: 0 is outside 1 to 10000", "--top", "0", keys),
            List.of("--salt: 99999 is outside", "--salt", "99999", keys),
            List.of("not a percentage", "--max-skipped", "5", keys),
            List.of("Missing required parameter"),
            List.of("there is no such file", keys, "missing"),
            List.of("is a folder", keys, folder.toString()));
    for (List<String> call : calls) {
      Cli.Run run = log(call.subList(1, call.size()).toArray(String[]::new));
      assertThat(run.code()).as(call.toString()).isEqualTo(2);
      assertThat(run.err().lines().filter(line -> !line.startsWith("warning"))).hasSize(1);
      assertThat(run.err()).contains(call.get(0)).startsWith("beltway: ");
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void tooManySkippedLinesAreALimitNotMet() throws Exception {
    Path file = Files.writeString(folder.resolve("keys"), "a\n\nb\nc\n");
    assertThat(log("--max-skipped", "25%", file.toString()).code()).isZero();
    assertThat(log("--max-skipped", "24.9%", file.toString()).code()).isEqualTo(3);
    Path header = Files.writeString(folder.resolve("h.csv"), "key\na\n");
    assertThat(
            log("--max-skipped", "0%", "--format", "csv", "--key", "key", header.toString()).code())
        .isZero();
  }

  @Test
  void aReportReplacesReportsOnly() throws Exception {
    Path file = Files.writeString(folder.resolve("keys"), keys(100));
    Path report = folder.resolve("a report.html");
    assertThat(log("--report", report.toString(), file.toString()).code()).isZero();
    String first = Files.readString(report);
    assertThat(first)
        .startsWith(Page.BEGIN)
        .contains("beltway lab log --topology ")
        .contains("&#39;" + report.toString().replace("'", "")); // Quoted, for the blank in it.
    assertThat(log("--report", report.toString(), file.toString()).code()).isZero();
    assertThat(Files.readString(report)).isEqualTo(first);
    Cli.Run over = log("--report", file.toString(), file.toString());
    assertThat(over.code()).isEqualTo(2);
    assertThat(over.err()).contains("exists and is no report of Beltway");
    assertThat(Files.readString(file)).isEqualTo(keys(100));
    Path link = Files.createSymbolicLink(folder.resolve("link.html"), report);
    assertThat(log("--report", link.toString(), file.toString()).err()).contains("is a link");
    Files.delete(link);
    assertThat(log("--report", folder + "/no/r.html", file.toString()).err())
        .contains("the folder doesn't exist");
    try (var left = Files.list(folder)) {
      assertThat(left.map(p -> p.getFileName().toString()))
          .containsExactlyInAnyOrder("keys", "a report.html");
    }
  }

  @Test
  void theReplayOfTheReadme() throws Exception {
    Path report = folder.resolve("replay.html");
    Cli.Run run =
        replay(
            "--at",
            "50%",
            "--entries-per-node",
            "2000",
            "--report",
            report.toString(),
            data("ecommerce_orm_busy_200k.txt"));
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains("200,000 requests, the change after 100,000; windows of 2,000")
        .containsPattern("cold +70.85 % +583 +2.3 +18.70 % +81.70 %");
    assertThat(Files.readString(report)).startsWith(Page.BEGIN).contains("If you just switch");
  }

  @Test
  void replayForMachines() throws Exception {
    String file = data("ecommerce_web12_product_pages.txt");
    JsonNode root = json(replay("--at", "40000", "--window", "5000", "--json", file));
    assertThat(root.at("/outcomes")).hasSize(12);
    assertThat(root.at("/at").asLong()).isEqualTo(40_000);
    assertThat(root.at("/outcomes/0/mode").asText()).isEqualTo("unchanged");
    JsonNode windows = root.at("/outcomes/1/windows");
    assertThat(windows.get(0).get("start").asLong()).isEqualTo(-40_000);
    Cli.Run csv = replay("--at", "40000", "--window", "5000", "--csv", file);
    assertThat(csv.out().lines().count()).isEqualTo(1 + 12L * windows.size());
    assertThat(csv.out()).contains("\nmodulo,cold,0,5000,5000,");
  }

  @Test
  void badReplaysAreOneLineAndExitCode2() throws Exception {
    String keys = Files.writeString(folder.resolve("keys"), keys(100)).toString();
    List<List<String>> calls =
        List.of(
            List.of("the change at 100 never came, the log has 100 requests", "--at", "100", keys),
            List.of("is not below 100%", "--at", "100%", keys),
            List.of("neither a percentage nor a whole number", "--at", "half", keys),
            List.of("a percentage needs files that can be read twice", "-"),
            List.of("there is no such file", "missing"),
            List.of("--window: 0 is less than 1", "--window", "0", keys),
            List.of("the log has no sizes", "--bytes-per-node", "100", keys),
            List.of("give one of", "--entries-per-node", "1", "--entries-total", "1", keys),
            List.of("a cache size of 0", "--entries-per-node", "0", keys));
    for (List<String> call : calls) {
      Cli.Run run = replay(call.subList(1, call.size()).toArray(String[]::new));
      assertThat(run.code()).as(call.toString()).isEqualTo(2);
      assertThat(run.err().lines()).hasSize(1);
      assertThat(run.err()).contains(call.get(0)).startsWith("beltway: ");
      assertThat(run.out()).isEmpty();
    }
    String many = Files.writeString(folder.resolve("many"), "a\n".repeat(20_001)).toString();
    assertThat(replay("--window", "1", many).err())
        .contains("20,001 requests have more than 19,998 windows of 1");
    assertThat(Collections.frequency(List.of(folder.toFile().list()), "many")).isOne();
  }

  @Test
  void cachesByBytesAndInTotal() throws Exception {
    String file = data("twitter_twemcache_sample.csv");
    for (String option : List.of("--bytes-per-node", "--bytes-total")) {
      Cli.Run run = replay("--format", "twitter", option, "20000", "--window", "10", file);
      assertThat(run.code()).isZero();
      assertThat(run.out()).contains("19.5 KiB");
    }
    Cli.Run total = replay("--entries-total", "4000", data("ecommerce_web12_product_pages.txt"));
    assertThat(total.out()).contains("4,000 entries in all of them together, before and after");
  }
}
