package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabCommandsTest {

  @TempDir Path folder;

  private static JsonNode json(Cli.Run run) throws Exception {
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void allHashesAreJudgedAtOnce() throws Exception {
    Cli.Run run = Cli.run("lab", "hash");
    assertThat(run.code()).isZero();
    assertThat(run.out().lines().filter(line -> line.endsWith("  guilty"))).hasSize(4);
    assertThat(run.out().lines().filter(line -> line.endsWith("  not guilty"))).hasSize(10);
    JsonNode hashes = json(Cli.run("lab", "hash", "--json")).get("hashes");
    assertThat(hashes).hasSize(14);
    assertThat(hashes.get(0).get("avalancheOnKeys").get("rates")).hasSize(64);
    assertThat(hashes.get(0).get("avalancheOnKeys").get("rates").get(0)).hasSize(64);
  }

  @Test
  void aGuiltyHashFailsTheBuild() {
    Cli.Run guilty = Cli.run("lab", "hash", "--hash", "fnv1a_32");
    assertThat(guilty.code()).isEqualTo(3);
    assertThat(guilty.out()).contains("Verdict: guilty").contains("→ Use xxh3_64");
    Cli.Run crc = Cli.run("lab", "hash", "--hash", "twemproxy:crc32");
    assertThat(crc.code()).isEqualTo(3);
    assertThat(crc.out()).contains("of four equal servers one takes 100.0 %");
    Cli.Run mixed = Cli.run("lab", "hash", "--hash", "xxh3_64");
    assertThat(mixed.code()).isZero();
    assertThat(mixed.out()).contains("Verdict: not guilty").doesNotContain("✗");
  }

  @Test
  void namesAndKeysOfOnesOwn() throws Exception {
    Path names = folder.resolve("names");
    Files.writeString(names, "alpha\nbeta\n");
    Cli.Run run =
        Cli.run(
            "lab",
            "hash",
            "--hash",
            "murmur3_128",
            "--names",
            names.toString(),
            "--keys",
            Cli.example("data/wiki_edits_keys.txt"),
            "--json");
    assertThat(run.code()).as(run.err()).isZero();
    JsonNode hash = json(run).get("hashes").get(0);
    assertThat(hash.get("tokens").get("nodes").asInt()).isEqualTo(2);
    assertThat(hash.get("keys").get("count").asInt()).isEqualTo(29_087);
    Files.writeString(names, "alpha\nalpha\n");
    assertThat(Cli.run("lab", "hash", "--names", names.toString()).err())
        .isEqualTo("beltway: --names: " + names + " has 1 different names; wanted are 2 to 2000\n");
    assertThat(Cli.run("lab", "hash", "--keys", names.toString()).err())
        .contains("has 1 different keys in 2 lines; wanted are 100 or more");
  }

  @Test
  void balanceChurnAndRecommendation() throws Exception {
    Cli.Run balance =
        Cli.run("lab", "balance", "--nodes", "5", "--vnodes", "10,100", "--groups", "30");
    assertThat(balance.code()).as(balance.err()).isZero();
    assertThat(balance.out().lines()).hasSize(5);
    Cli.Run churn = Cli.run("lab", "churn", "--nodes", "5", "--changes", "20");
    assertThat(churn.out()).contains("ring").contains("slices").contains("modulo");
    Cli.Run weighted = Cli.run("lab", "churn", "--weights", "2x1,2", "--changes", "5", "--json");
    assertThat(json(weighted).get("trials")).hasSize(2); // hash % N has no weights.
    Cli.Run recommend =
        Cli.run(
            "lab",
            "recommend",
            "--nodes",
            "3",
            "--max-over-mean",
            "1.3",
            "--groups",
            "40",
            "--json");
    JsonNode found = json(recommend);
    assertThat(found.get("vnodes").asInt()).isBetween(10, 120);
    assertThat(found.get("evidence").size()).isGreaterThan(3);
    assertThat(found.get("costs").get(1).get("maxOverFair").asDouble()).isLessThan(1.000001);
    assertThat(found.get("costs").get(0).get("lookupNanos").asDouble()).isPositive();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "balance | --nodes: say how many, or give --weights",
        "balance --nodes 0 | --nodes 0 is outside 1 to 10000",
        "balance --nodes 3 --weights 1,2 | --weights: 2 weights for 3 nodes",
        "balance --weights 1,-2 | --weights: \"-2\" is not a weight above 0, up to 1000, or COUNTxWEIGHT",
        "balance --weights 1,0 | --weights: \"0\" is not a weight above 0, up to 1000, or COUNTxWEIGHT",
        "balance --weights 99999x1 | --nodes 10001 is outside 1 to 10000",
        "balance --nodes 3 --groups 0 | --groups 0 is outside 1 to 10000",
        "balance --nodes 3 --vnodes 0 | --vnodes: 0 is less than 1",
        "balance --nodes 3 --vnodes 2000000000 | vnodes 2000000000 is outside 1 to 1000000",
        "balance --nodes 30 --vnodes 1000000 | more than 5000000",
        "balance --nodes 3 --vnodes , | --vnodes",
        "balance --nodes 3 --vnodes x | Invalid value for option '--vnodes'",
        "balance --nodes 3 --hash nope | --hash: \"nope\" is unknown; known are xxh3_64",
        "churn --nodes 3 --changes 0 | --changes: 0 is outside 1 to 10000",
        "churn --nodes 3 --vnodes -1 | --vnodes: -1 is less than 1",
        "recommend --nodes 3 --max-over-mean 1 | --max-over-mean 1.0 is outside 1.005 to 100",
        "recommend --nodes 3 | Missing required option: '--max-over-mean=X'",
        "hash --hash nope | and of other systems libmemcached:one_at_a_time",
        "hash --keys /no/such/file | /no/such/file: there is no such file",
      })
  void badOptionsAreOneLine(String options, String message) {
    Cli.Run run = Cli.run(("lab " + options).split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines()).singleElement().asString().contains(message);
  }

  @Test
  void helpIsWithoutComplaints() {
    for (String command : new String[] {"hash", "balance", "churn", "recommend", "tables"}) {
      Cli.Run run = Cli.run("lab", command, "--help");
      assertThat(run.code()).isZero();
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).doesNotContain("%%").contains("Example");
    }
  }

  @Test
  void aCountThatCantBeReachedIsNotTheUsersFault() {
    Cli.Run run =
        Cli.run(
            "lab",
            "recommend",
            "--nodes",
            "3",
            "--max-over-mean",
            "1.01",
            "--hash",
            "fnv1a_64",
            "--groups",
            "3");
    assertThat(run.code()).as(run.err()).isEqualTo(3);
    assertThat(run.out()).contains("no count of vnodes within the limits meets the target");
    assertThat(Cli.run("lab", "balance", "--nodes", "10000", "--groups", "1").out())
        .contains(" 5,000,000 ")
        .doesNotContain("10,000,000");
  }
}
