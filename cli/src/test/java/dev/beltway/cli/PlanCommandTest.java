package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanCommandTest {

  private static final String BEFORE = Cli.example("eight.yaml");
  private static final String AFTER = Cli.example("ten.yaml");
  private static final String KEYS = Cli.example("data/wiki_edits_keys.txt");

  @TempDir Path folder;

  private static JsonNode json(Cli.Run run) throws Exception {
    assertThat(run.code()).as(run.err()).isZero();
    return new ObjectMapper().readTree(run.out());
  }

  private static Cli.Run plan(String... more) {
    String[] arguments = new String[more.length + 5];
    System.arraycopy(
        new String[] {"plan", "--before", BEFORE, "--after", AFTER}, 0, arguments, 0, 5);
    System.arraycopy(more, 0, arguments, 5, more.length);
    return Cli.run(arguments);
  }

  @Test
  void growingFromEightToTen() throws Exception {
    JsonNode plan = json(plan("--keys", KEYS, "--json", "--ranges"));
    JsonNode moved = plan.get("moved");
    assertThat(moved.get("exact").asBoolean()).isTrue();
    assertThat(moved.get("total").asDouble())
        .isCloseTo(moved.get("joiningOwn").asDouble(), within(1e-12));
    assertThat(moved.get("betweenStaying").asDouble()).isZero();
    assertThat(moved.get("byModulo").asDouble()).isCloseTo(0.8, within(1e-12));
    assertThat(plan.get("ranges")).hasSize(moved.get("ranges").asInt());
    double ranges = 0;
    for (JsonNode range : plan.get("ranges")) {
      ranges += range.get("share").asDouble();
      assertThat(range.get("to").asText()).isIn("cache-i", "cache-j");
    }
    assertThat(ranges).isCloseTo(moved.get("total").asDouble(), within(1e-12));
    assertThat(plan.get("keys").get("lines").get("total").asInt()).isEqualTo(31_548);
    assertThat(plan.get("keys").get("different").get("total").asInt()).isEqualTo(29_087);
    double steps = 0;
    for (JsonNode step : plan.get("steps")) {
      steps += step.get("moved").asDouble();
      assertThat(step.get("moved").asDouble()).isLessThanOrEqualTo(0.01);
    }
    assertThat(steps).isGreaterThanOrEqualTo(moved.get("total").asDouble() - 1e-12);
  }

  @ParameterizedTest
  @CsvSource({
    "--max-moved, 5%, 3", "--max-moved, 20.5%, 0", "--max-over-mean, 1.05, 3",
    "--max-over-mean, 1.2, 0", "--max-keys-per-node, 3000, 3", "--max-keys-per-node, 4000, 0"
  })
  void limitsDecideTheExitCode(String option, String limit, int code) {
    Cli.Run run = plan("--keys", KEYS, option, limit);
    assertThat(run.code()).isEqualTo(code);
    assertThat(run.out()).contains(code == 3 ? "EXCEEDED" : "met");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--max-moved|5|--max-moved: \"5\" is not a percentage such as 5% or 2.5%",
        "--max-moved|500%|max moved 500.0% is outside 0% to 100%",
        "--max-over-mean|0.5|max over mean 0.5 is outside 1 to 1000000",
        "--max-over-mean|NaN|max over mean NaN is outside 1 to 1000000",
        "--max-keys-per-node|5|--max-keys-per-node needs the number of keys: give --key-count or --keys",
        "--down|zz|--down: node \"zz\" is in neither topology",
        "--key-count|-5|key count -5 is outside 0 to 1000000000000000",
        "--bytes-per-key|0|bytes per key 0 is outside 1 to 549755813888",
        "--keys-per-second|0|keys per second 0.0 is outside 0.001 to 1e12",
        "--step-moved|0%|a step of 0.0% of the keys is not above 0% and at most 100%",
        "--key-count|many|Invalid value for option '--key-count': 'many' is not a long (see 'beltway plan --help')",
        "--what|1|Unknown options: '--what', '1' (see 'beltway plan --help')"
      })
  void badValuesAreOneLineWithTheValue(String option, String value, String message) {
    Cli.Run run = plan(option, value);
    assertThat(run.err()).isEqualTo("beltway: " + message + "\n");
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void durationAndMemoryWhereSizesAreGiven() {
    Cli.Run run =
        plan("--key-count", "10000000", "--bytes-per-key", "1024", "--keys-per-second", "20000");
    assertThat(run.out()).contains("1.9 GiB, 1 min 40 s to move");
  }

  @Test
  void anOutageNamesWhatEveryOtherGets() throws Exception {
    JsonNode down = json(plan("--down", "cache-b", "--json")).get("down");
    assertThat(down.get("node").asText()).isEqualTo("cache-b");
    assertThat(down.get("others")).hasSize(9);
    assertThat(down.get("movedBetweenOthers").asDouble()).isZero();
  }

  @Test
  void theSameTopologyMovesNothing() {
    Cli.Run run = Cli.run("plan", "--before", BEFORE, "--after", BEFORE, "--max-moved", "0%");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("No key moves");
  }

  @Test
  void reorderingARingMovesNothingAndReorderingModuloIsTold() throws Exception {
    String text = Files.readString(Path.of(BEFORE));
    String first = text.lines().filter(l -> l.contains("cache-a")).findFirst().orElseThrow();
    String last = text.lines().filter(l -> l.contains("cache-h")).findFirst().orElseThrow();
    String swapped = text.replace(first, "#").replace(last, first).replace("#\n", last + "\n");
    Path other = Files.writeString(folder.resolve("swapped.yaml"), swapped);
    Cli.Run run = Cli.run("plan", "--before", BEFORE, "--after", other.toString());
    assertThat(run.out()).contains("No key moves");

    String modulo = "placement: { algorithm: modulo }";
    Path before = modulo(text, modulo, "before.yaml");
    Path after = modulo(swapped, modulo, "after.yaml");
    Cli.Run reordered = Cli.run("plan", "--before", "" + before, "--after", "" + after);
    assertThat(reordered.out())
        .contains("in another order; under hash % N that alone moves keys")
        .contains("sampled over 400,000 made-up keys");
  }

  private Path modulo(String text, String placement, String name) throws Exception {
    return Files.writeString(folder.resolve(name), text.replaceAll("placement: .*", placement));
  }

  @Test
  void slotsOfferTheFewestMoves() throws Exception {
    String slots = "placement: { algorithm: slots }";
    Path before = modulo(Files.readString(Path.of(BEFORE)), slots, "before.yaml");
    Path after = modulo(Files.readString(Path.of(AFTER)), slots, "after.yaml");
    Cli.Run run = Cli.run("plan", "--before", "" + before, "--after", "" + after, "--json");
    JsonNode plan = json(run);
    String text = Files.readString(after);
    for (var node : plan.get("fewestMoves").properties()) {
      text =
          text.replace(
              "id: " + node.getKey() + ",",
              "id: " + node.getKey() + ", slots: " + node.getValue() + ",");
    }
    Path stated = Files.writeString(folder.resolve("stated.yaml"), text);
    JsonNode best =
        json(Cli.run("plan", "--before", "" + before, "--after", "" + stated, "--json"));
    assertThat(best.get("moved").get("total").asDouble()).isCloseTo(0.2, within(0.0002));
    assertThat(best.get("moved").get("betweenStaying").asDouble()).isZero();
  }

  @Test
  void anEmptyKeyFileIsAnError() throws Exception {
    Path empty = Files.writeString(folder.resolve("empty.txt"), "\n\n\r\n");
    Cli.Run run = plan("--keys", empty.toString());
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).endsWith("empty.txt: there is no key in it\n");
  }

  private Path file(String name, String placement, String... ids) throws Exception {
    StringBuilder text = new StringBuilder("version: 1\nepoch: 1\nplacement: { algorithm: ");
    text.append(placement).append(" }\nnodes:\n");
    for (String id : ids) {
      text.append("  - { id: ").append(id).append(", address: \"h:1\" }\n");
    }
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void writtenTopologiesMoveTheLeast() throws Exception {
    for (String placement : new String[] {"slices", "slots"}) {
      String before = file(placement + "-a.yaml", placement, "a", "b", "c", "d").toString();
      String after = file(placement + "-b.yaml", placement, "a", "b", "c", "d", "e").toString();
      Path written = folder.resolve(placement + "-c.yaml");
      Cli.Run plain = Cli.run("plan", "--before", before, "--after", after);
      assertThat(plain.out()).contains("% would do: write the topology with --write");
      Cli.Run run =
          Cli.run("plan", "--before", before, "--after", after, "--write", written.toString());
      assertThat(run.code()).as(run.err()).isZero();
      assertThat(run.out()).contains("20.00 %").doesNotContain("would do");
      JsonNode again =
          json(Cli.run("plan", "--before", before, "--after", written.toString(), "--json"));
      assertThat(again.get("moved").get("total").asDouble()).isCloseTo(0.2, within(0.0002));
      assertThat(again.get("moved").get("betweenStaying").asDouble()).isZero();
      // Never over a file that is there, and not where a limit is exceeded.
      Cli.Run twice =
          Cli.run("plan", "--before", before, "--after", after, "--write", written.toString());
      assertThat(twice.code()).isEqualTo(2);
      assertThat(twice.err()).contains("exists already; name a new file");
      Path none = folder.resolve(placement + "-d.json");
      Cli.Run limited =
          Cli.run(
              "plan",
              "--before",
              before,
              "--after",
              after,
              "--max-moved",
              "5%",
              "--write",
              none.toString());
      assertThat(limited.code()).isEqualTo(3);
      assertThat(none).doesNotExist();
      assertThat(
              Cli.run("plan", "--before", before, "--after", after, "--write", none.toString())
                  .code())
          .isZero();
      assertThat(Files.readString(none)).startsWith("{");
    }
    assertThat(
            Cli.run(
                    "plan",
                    "--before",
                    BEFORE,
                    "--after",
                    AFTER,
                    "--write",
                    folder.resolve("no/such/x.yaml").toString())
                .err())
        .contains("the folder doesn't exist");
    try (var files = Files.list(folder)) {
      assertThat(files.filter(file -> file.toString().endsWith(".part"))).isEmpty();
    }
  }

  @Test
  void jumpRefusesTheMiddle() throws Exception {
    String before = file("j.yaml", "jump", "a", "b", "c").toString();
    String after = file("k.yaml", "jump", "a", "c").toString();
    Cli.Run run = Cli.run("plan", "--before", before, "--after", after);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "beltway: jump: node b at position 1 would become c; nodes join and leave at the end"
                + " of the list only\n");
  }

  @Test
  void whatIsWrittenCanBeReadByAllAndByBeltway() throws Exception {
    Path written = folder.resolve("w.YAML");
    assertThat(plan("--write", written.toString()).code()).isZero();
    assertThat(Files.getPosixFilePermissions(written))
        .contains(java.nio.file.attribute.PosixFilePermission.OWNER_READ);
    Path usual = Files.writeString(folder.resolve("usual"), "x");
    assertThat(Files.getPosixFilePermissions(written))
        .isEqualTo(Files.getPosixFilePermissions(usual));
    assertThat(plan("--write", "-").err()).contains("--write: \"-\" is not a file name");
    // Twenty thousand nodes with long names: the table doubles them past what is read.
    StringBuilder text =
        new StringBuilder("version: 1\nepoch: 1\nplacement: { algorithm: slices }\nnodes:\n");
    for (int i = 0; i < 20_000; i++) {
      text.append("- { id: ").append("x".repeat(200)).append(i);
      text.append(", address: \"h:1\" }\n");
    }
    String large = Files.writeString(folder.resolve("large.yaml"), text).toString();
    Path none = folder.resolve("none.yaml");
    Cli.Run run = Cli.run("plan", "--before", large, "--after", large, "--write", none.toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("the topology takes more than 8 MiB");
    assertThat(none).doesNotExist();
  }
}
