package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouteCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private static JsonNode vectors(String name) throws Exception {
    return JSON.readTree(
        Cli.ROOT.resolve("core/src/test/resources/vectors").resolve(name).toFile());
  }

  private String write(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String keysOf(JsonNode rows) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (JsonNode row : rows) {
      lines.append(row.get(0)).append('\n');
    }
    return write("keys.jsonl", lines.toString());
  }

  private static String ringNodes(JsonNode nodes) {
    StringBuilder yaml = new StringBuilder("version: 1\nplacement: { algorithm: ring }\nnodes:\n");
    if (nodes.isArray()) {
      int port = 1;
      for (JsonNode node : nodes) {
        yaml.append("- { id: ").append(node.get(0)).append(", vnodes: ").append(node.get(1));
        yaml.append(", address: \"h:").append(port++).append("\" }\n");
      }
    } else {
      for (int i = 0; i < 100; i++) {
        yaml.append(String.format("- { id: n%03d, vnodes: 100, address: \"h:%d\" }%n", i, 1 + i));
      }
    }
    return yaml.toString();
  }

  @Test
  void ownersAndReplicasOfTheNativeVectors() throws Exception {
    JsonNode vectors = vectors("h_native_ring.json");
    String keys = keysOf(vectors.get("rows"));
    List<String> columns = new ArrayList<>();
    vectors.get("header").get("columns").forEach(c -> columns.add(c.asText()));
    int compared = 0;
    for (String column : columns.subList(2, columns.size())) {
      JsonNode config = vectors.get("header").get("configs").get(column.replace("replicas:", ""));
      String topology = write("t.yaml", ringNodes(config.get("nodes")));
      Cli.Run run =
          Cli.run(
              "route",
              "-t",
              topology,
              "--keys",
              keys,
              "--keys-format",
              "jsonl",
              "--replicas",
              "3",
              "--format",
              "json");
      assertThat(run.code()).isZero();
      String[] lines = run.out().split("\n");
      assertThat(lines).hasSize(vectors.get("rows").size());
      for (int i = 0; i < lines.length; i++) {
        JsonNode row = vectors.get("rows").get(i);
        JsonNode line = JSON.readTree(lines[i]);
        assertThat(line.get("key")).isEqualTo(row.get(0));
        assertThat(line.get("owners")).isEqualTo(row.get(columns.indexOf(column)));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(301 * 8);
  }

  @Test
  void slotsOfARealRedis() throws Exception {
    JsonNode vectors = vectors("b_redis_keyslot.json");
    // One node a slot, so that the owner's name is the slot.
    StringBuilder yaml = new StringBuilder("version: 1\nplacement: { algorithm: slots }\nnodes:\n");
    for (int slot = 0; slot < 16_384; slot++) {
      yaml.append(
          String.format(
              "- { id: slot-%d, address: \"h:%d\", slots: \"%d\" }%n", slot, 1 + slot, slot));
    }
    String topology = write("slots.yaml", yaml.toString());
    String keys = keysOf(vectors.get("rows"));
    Cli.Run run =
        Cli.run(
            "route", "-t", topology, "--keys", keys, "--keys-format", "jsonl", "--format", "json");
    assertThat(run.code()).isZero();
    String[] lines = run.out().split("\n");
    assertThat(lines).hasSize(301);
    for (int i = 0; i < lines.length; i++) {
      assertThat(JSON.readTree(lines[i]).get("owners").get(0).asText())
          .isEqualTo("slot-" + vectors.get("rows").get(i).get(1).asInt());
    }
  }

  @Test
  void tsvKeepsTheOrderAndTheBytes() {
    byte[] input = {'b', '\n', 'a', '\r', '\n', (byte) 0xff, (byte) 0xfe, '\n', 'c'};
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    int code =
        Main.run(
            Terminal.on(
                new java.io.ByteArrayInputStream(input),
                out,
                java.io.OutputStream.nullOutputStream()),
            "route",
            "-t",
            Cli.example("eight.yaml"),
            "--keys",
            "-",
            "--format",
            "tsv");
    assertThat(code).isZero();
    String text = out.toString(StandardCharsets.ISO_8859_1);
    assertThat(text.split("\n")).hasSize(4);
    assertThat(text).matches("(?s)b\tcache-.\na\tcache-.\n\u00ff\u00fe\tcache-.\nc\tcache-.\n");
  }

  @Test
  void controlCharactersCannotBreakALine() {
    Cli.Run run =
        Cli.runWith(
            "\"a\\tb\"\n\"c\\nd\"\n\"\"\n\"\\u0000\"\n".getBytes(StandardCharsets.UTF_8),
            "route",
            "-t",
            Cli.example("eight.yaml"),
            "--keys",
            "-",
            "--keys-format",
            "jsonl",
            "--format",
            "tsv");
    assertThat(run.out().split("\n")).hasSize(4).allMatch(line -> line.matches("[^\t]*\tcache-."));
    assertThat(run.out()).startsWith("a\\tb\t");
  }

  @Test
  void replicasAreDistinctAndFewerNodesAreAWarning() {
    Cli.Run run = Cli.run("route", "-t", Cli.example("eight.yaml"), "--replicas", "9", "user:42");
    assertThat(run.code()).isZero();
    assertThat(run.out().strip().split("[ ,]+")).hasSize(9).doesNotHaveDuplicates();
    assertThat(run.err())
        .isEqualTo(
            "warning: 9 replicas on 8 nodes: lists are shorter\n"
                + "warning: 8 replicas over 3 zones: some share one\n");
  }

  @Test
  void whatCannotBeDoneIsRefusedOnOneLine() throws Exception {
    String modulo =
        write(
            "m.yaml",
            "version: 1\nplacement: { algorithm: modulo }\nnodes: [{ id: a, address: \"h:1\" }]\n");
    assertRefused("no keys: name some, or a file with --keys (- is standard input)", "-t", modulo);
    assertRefused(
        "--replicas: algorithm modulo has one owner for a key and no order of others; allowed is 1",
        "-t",
        modulo,
        "--replicas",
        "2",
        "k");
    assertRefused("--replicas: 0 is outside 1 to 100000", "-t", modulo, "--replicas", "0", "k");
    assertRefused("--replicas: -1 is outside 1 to 100000", "-t", modulo, "--replicas", "-1", "k");
    assertRefused(
        "--format: \"xml\" is not one of text, tsv, json", "-t", modulo, "--format", "xml", "k");
    assertRefused(
        "--keys-format: \"csv\" is not one of lines, jsonl",
        "-t",
        modulo,
        "--keys",
        "-",
        "--keys-format",
        "csv");
    assertRefused("/nowhere/keys: there is no such file", "-t", modulo, "--keys", "/nowhere/keys");
    assertRefused("/nowhere/t.yaml: there is no such file", "-t", "/nowhere/t.yaml", "k");
  }

  private static void assertRefused(String message, String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "route";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Cli.Run run = Cli.run(all);
    assertThat(run.err()).isEqualTo("beltway: " + message + "\n");
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void damagedInputIsAnErrorAfterWhatWasRead() {
    Cli.Run run =
        Cli.runWith(
            "\"a\"\nb\n".getBytes(StandardCharsets.UTF_8),
            "route",
            "-t",
            Cli.example("eight.yaml"),
            "--keys",
            "-",
            "--keys-format",
            "jsonl");
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.out()).startsWith("a  cache-");
    assertThat(run.err()).startsWith("beltway: -: line 2 is not a JSON string").hasLineCount(1);
  }

  private String fourOnTwoHosts() throws Exception {
    return write(
        "hosts.yaml",
        """
        version: 1
        placement: { algorithm: ring, replicas: 2, failureDomain: host }
        nodes:
          - { id: a1, address: "h1:2003" }
          - { id: a2, address: "h1:2103" }
          - { id: b1, address: "h2:2003" }
          - { id: b2, address: "h2:2103" }
        """);
  }

  @Test
  void replicasKeepApartAsTheTopologySays() throws Exception {
    String hosts = fourOnTwoHosts();
    String keys = Cli.example("data/wiki_edits_keys.txt");
    Cli.Run run = Cli.run("route", "-t", hosts, "--keys", keys, "--format", "tsv");
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines()).hasSize(31_548);
    assertThat(run.out().lines().map(line -> line.substring(line.lastIndexOf('\t') + 1)))
        .allMatch(owners -> owners.charAt(0) != owners.charAt(3));
    Cli.Run three = Cli.run("route", "-t", hosts, "--replicas", "3", "k");
    assertThat(three.err()).isEqualTo("warning: 3 replicas over 2 hosts: some share one\n");
  }

  @Test
  void aNodeThatIsDownLosesItsKeysAndNobodyElse() throws Exception {
    String keys = Cli.example("data/wiki_edits_keys.txt");
    for (String algorithm :
        new String[] {"ring", "slices", "ketama, variant: twemproxy", "nginx"}) {
      StringBuilder text = new StringBuilder("version: 1\nplacement: { algorithm: ");
      text.append(algorithm).append(" }\nnodes:\n");
      for (String id : List.of("a", "b", "c", "d", "e")) {
        text.append("  - { id: ").append(id).append(", address: \"").append(id).append(":1\" }\n");
      }
      String topology = write("five.yaml", text.toString());
      List<String> before =
          Cli.run("route", "-t", topology, "--keys", keys, "--format", "tsv")
              .out()
              .lines()
              .toList();
      List<String> down =
          Cli.run("route", "-t", topology, "--keys", keys, "--format", "tsv", "--down", "c")
              .out()
              .lines()
              .toList();
      int[] received = new int[5];
      for (int i = 0; i < before.size(); i++) {
        if (before.get(i).endsWith("\tc")) {
          received[down.get(i).charAt(down.get(i).length() - 1) - 'a']++;
        } else {
          assertThat(down.get(i)).isEqualTo(before.get(i));
        }
      }
      assertThat(received[2]).isZero();
      for (int other : new int[] {0, 1, 3, 4}) {
        assertThat(received[other]).as(algorithm).isGreaterThan(before.size() / 100);
      }
    }
  }

  @Test
  void aBoundIsKept() throws Exception {
    String hosts = fourOnTwoHosts();
    Path keys = folder.resolve("some");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      lines.append("key-").append(i % 900).append('\n'); // A hundred keys come twice.
    }
    Files.writeString(keys, lines);
    Cli.Run run =
        Cli.run(
            "route",
            "-t",
            hosts,
            "--replicas",
            "1",
            "--bound",
            "1",
            "--keys",
            keys.toString(),
            "--format",
            "tsv");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.err()).matches("bound: \\d+ of 900 different keys went on to another node.*\n");
    List<String> all = run.out().lines().toList();
    assertThat(all).hasSize(1000);
    assertThat(all.subList(900, 1000)).isEqualTo(all.subList(0, 100));
    for (String node : List.of("a1", "a2", "b1", "b2")) {
      assertThat(all.subList(0, 900)).filteredOn(line -> line.endsWith(node)).hasSize(225);
    }
    // Five keys, as the smallest file has them: a node may carry three of them at c = 1.5 over 2.
    Path five = Files.writeString(folder.resolve("five"), "a\nb\nc\nd\ne\n");
    Cli.Run tiny =
        Cli.run("route", "-t", hosts, "--replicas", "1", "--bound", "1", "--keys", five.toString());
    assertThat(tiny.out().lines()).hasSize(5);
    assertRefused(
        "--bound: load factor 0.5 is outside 1 to 1000",
        "-t",
        hosts,
        "--replicas",
        "1",
        "--bound",
        "0.5",
        "k");
    assertRefused(
        "--bound: goes with one replica only, not with 2", "-t", hosts, "--bound", "1.25", "k");
    assertRefused("--down: node nope is not in the topology", "-t", hosts, "--down", "nope", "k");
    assertRefused(
        "--down: no node is left that owns anything",
        "-t",
        hosts,
        "--replicas",
        "1",
        "--down",
        "a1,a2,b1,b2",
        "k");
    assertRefused(
        "--bound: algorithm modulo has no second owner of a key",
        "-t",
        Cli.example("modulo.yaml"),
        "--bound",
        "1",
        "k");
  }
}
