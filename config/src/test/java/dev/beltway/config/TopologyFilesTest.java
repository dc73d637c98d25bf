package dev.beltway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Machine;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.Peer;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotRanges;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.Topology;
import dev.beltway.topology.WorkflowRule;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyFilesTest {

  private static final String NODES = "nodes:\n  - { id: a, address: \"h:1\" }\n";

  private static Topology parse(String text) throws ConfigFileException {
    return TopologyFiles.parse("t.yaml", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertRefused(String text, String message) {
    Throwable thrown = catchThrowable(() -> parse(text));
    assertThat(thrown).as(text).isInstanceOf(ConfigFileException.class);
    assertThat(thrown.getMessage()).isEqualTo(message).doesNotContain("\n");
  }

  @Test
  void everythingWithADefaultMayBeLeftOut() throws Exception {
    assertThat(parse("version: 1\n" + NODES))
        .isEqualTo(new Topology(0, RingRule.DEFAULT, List.of(Node.of("a").withAddress("h:1"))));
  }

  @Test
  void readsTheFileOfTheDesign() throws Exception {
    Topology topology =
        parse(
            """
            version: 1
            epoch: 7
            placement: { algorithm: ring, hash: xxh3_64, vnodes: 150, minVnodes: 10, separator: "#", hashTags: false, replicas: 1 }
            nodes:
              - { id: cache-a, address: "10.0.0.5:6379", weight: 1.0, zone: z1 }
              - { id: cache-b, address: "10.0.0.6:6379", vnodes: 47 }            # an exact count instead of a weight
              - id: cache-c
                address: "[::1]:6379"
                weight: 2.5e-1
                machine: { cores: 8, memoryGib: 64.5 }
            """);
    assertThat(topology)
        .isEqualTo(
            new Topology(
                7,
                RingRule.DEFAULT,
                List.of(
                    Node.of("cache-a").withAddress("10.0.0.5:6379").withZone("z1"),
                    Node.of("cache-b").withAddress("10.0.0.6:6379").withVnodes(47),
                    Node.of("cache-c")
                        .withAddress("[::1]:6379")
                        .withWeight(0.25)
                        .withMachine(Machine.of(8, 64.5)))));
  }

  @Test
  void otherAlgorithms() throws Exception {
    assertThat(parse("version: 1\nplacement: { algorithm: modulo, hash: crc32 }\n" + NODES).rule())
        .isEqualTo(new ModuloRule(HashFunctions.CRC32, false));
    assertThat(parse("version: 1\nplacement: { algorithm: slots }\n" + NODES).rule())
        .isEqualTo(SlotsRule.REDIS);
    Topology slots =
        parse(
            "version: 1\nplacement: { algorithm: slots, slots: 100, hashTags: false }\n"
                + "nodes:\n  - { id: a, address: \"h:1\", slots: \"0-49\" }\n"
                + "  - { id: b, address: \"h:2\" }\n");
    assertThat(slots.rule()).isEqualTo(new SlotsRule(100, false));
    assertThat(slots.nodes().get(0).slots()).hasValue(SlotRanges.parse("0-49"));
  }

  @Test
  void theAlgorithmsOfOtherSystems() throws Exception {
    assertThat(rule("ketama, variant: twemproxy"))
        .isEqualTo(KetamaRule.of(KetamaVariant.TWEMPROXY));
    assertThat(rule("ketama, variant: libmemcached-weighted, keyHash: crc, replicas: 2"))
        .isEqualTo(
            new KetamaRule(
                KetamaVariant.LIBMEMCACHED_WEIGHTED,
                PeerHashes.all().getOrDefault("libmemcached:crc", HashFunctions.MD5),
                false,
                Replication.of(2)));
    assertThat(rule("nginx, failureDomain: host"))
        .isEqualTo(new NginxRule(new Replication(1, FailureDomain.HOST)));
    assertThat(rule("haproxy")).isEqualTo(new HaproxyRule("sdbm", true));
    assertThat(rule("haproxy, function: wt6")).isEqualTo(new HaproxyRule("wt6", false));
    assertThat(rule("workflow, hash: std_hash_32, ipCount: 2"))
        .isEqualTo(new WorkflowRule(PeerHashes.STD_HASH_32, 2, Replication.NONE));
    assertThat(rule("workflow")).isEqualTo(WorkflowRule.DEFAULT);
    assertThat(rule("jump, hash: md5")).isEqualTo(new JumpRule(HashFunctions.MD5, false));
    assertThat(rule("slices, tolerance: 0.05")).isEqualTo(SlicesRule.DEFAULT.withTolerance(0.05));
  }

  private static PlacementRule rule(String fields) throws ConfigFileException {
    return parse("version: 1\nplacement: { algorithm: " + fields + " }\n" + NODES).rule();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ketama | placement.variant: is missing; known are libmemcached, libmemcached-weighted, spymemcached, spymemcached-java, twemproxy",
        "ketama, variant: memcache | placement.variant: memcache is unknown; known are libmemcached, libmemcached-weighted, spymemcached, spymemcached-java, twemproxy",
        "ketama, variant: libmemcached, keyHash: crc16 | placement.keyHash: crc16 is unknown to libmemcached; known are one_at_a_time, md5, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins, crc, murmur3",
        "haproxy, function: md5 | placement.function: function md5 is not one of sdbm, djb2, wt6, crc32",
        "haproxy, replicas: 2 | placement.replicas: is not a field here; known are algorithm, function, avalanche for algorithm haproxy",
        "jump, weights: 2 | placement.weights: is not a field here; known are algorithm, hash, hashTags for algorithm jump",
        "slices, tolerance: 0.6 | placement.tolerance: tolerance 0.6 is outside 0 to 0.5",
        "slices, tolerance: 0.0000001 | placement.tolerance: tolerance 1.0E-7 has more than six digits after the point",
        "slices, tolerance: x | placement.tolerance: x is not a number from 0 to 0.5",
        "nginx, failureDomain: rack | placement.failureDomain: rack is unknown; known are node, zone, host",
        "workflow, ipCount: -1 | placement.ipCount: -1 is outside 0 to 1000",
      })
  void theirFieldsAreRefusedWithPlaceValueAndRange(String fields, String message) {
    assertThatThrownBy(() -> rule(fields)).hasMessage("t.yaml:2: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nginx | weight: 1.5 | nodes: weight 1.5 of node a: nginx has whole weights, allowed is 0 to 65535",
        "haproxy | weight: 257 | nodes: weight 257 of node a: haproxy has whole weights, allowed is 0 to 256",
        "haproxy | haproxyId: 0 | nodes[0].haproxyId: 0 is outside 1 to 2147483647",
        "haproxy | haproxyId: 2 | nodes: haproxyId 2 of node b is that of node a too",
        "jump | weight: 2 | nodes: weight 2 of node a: jump has no weights, allowed is 1",
        "ring | name: x | nodes: name of node a: ring has no name",
        "ketama, variant: libmemcached | weight: 2 | nodes: weight 2 of node a: ketama has no weights, allowed is 1",
        "ketama, variant: twemproxy | vnodes: 3 | nodes[0].vnodes: ketama has no virtual nodes",
        "nginx | haproxyId: 4 | nodes: haproxyId of node a: nginx has no haproxyId",
      })
  void theirNodesAreRefusedWithPlaceValueAndRange(String algorithm, String field, String message) {
    assertThatThrownBy(
            () ->
                parse(
                    "version: 1\nplacement: { algorithm: "
                        + algorithm
                        + " }\nnodes:\n  - { id: a, address: \"h:1\", "
                        + field
                        + " }\n  - { id: b, address: \"h:2\" }\n"))
        .hasMessageMatching("t\\.yaml:\\d: .*")
        .hasMessageContaining(message);
  }

  @Test
  void aTableOfSlicesIsReadOrRefused() throws Exception {
    Topology start =
        new Topology(
            1,
            SlicesRule.DEFAULT,
            List.of(Node.of("a").withAddress("h:1"), Node.of("b").withAddress("h:2")));
    Topology grown = start.plus(Node.of("c").withAddress("h:3").withWeight(2));
    String text = TopologyText.yaml(grown);
    assertThat(parse(text)).isEqualTo(grown);
    // A file whose nodes were edited by hand: the table is the history, the nodes the goal.
    Topology edited = parse(text.replace(", weight: 2", ""));
    assertThat(edited.fingerprint())
        .isEqualTo(grown.with(Node.of("c").withAddress("h:3")).fingerprint());
    assertThatThrownBy(() -> parse(text.replace("[a, b, c]", "[a, c, b]")))
        .hasMessageContaining("slices.table: nodes are not in the order of their ids: b");
    assertThatThrownBy(() -> parse(text.replace("[a, b, c]", "[a, b]")))
        .hasMessageContaining("slices.table: interval ");
    assertThatThrownBy(
            () -> parse(text.replaceAll("(?s)slices:.*", "slices: { nodes: [], table: [] }\n")))
        .hasMessageContaining("slices.nodes: is an empty list");
    assertThatThrownBy(() -> parse(text.replaceAll("(?s)  table:.*", "")))
        .hasMessageContaining("slices.table: is missing");
    assertThatThrownBy(() -> parse(text.replaceAll("(?s)  table:.*", "  table: abc\n")))
        .hasMessageContaining("slices.table: is abc instead of a list of texts");
    assertThatThrownBy(() -> parse(text.replaceAll("(?s)  table:.*", "  table: [\"?\"]\n")))
        .hasMessageContaining("slices.table: is not Base64");
    assertThatThrownBy(() -> parse(text.replaceAll("(?s)  table:.*", "  table: [AAAA]\n")))
        .hasMessageContaining("slices.table: interval 0 has length 0 and owner 0");
    assertThatThrownBy(
            () ->
                parse(
                    text.replace("algorithm: slices", "algorithm: ring")
                        .replace("tolerance: 0, ", "")))
        .hasMessageContaining("slices: ring has no slices");
  }

  @Test
  void whatIsWrittenReadsBackEqual() throws Exception {
    List<Topology> topologies =
        List.of(
            new Topology(
                3,
                new KetamaRule(
                    KetamaVariant.TWEMPROXY,
                    KetamaVariant.TWEMPROXY.defaultKeyHash(),
                    true,
                    new Replication(2, FailureDomain.HOST)),
                List.of(
                    Node.of("a").withAddress("h:1").withPeer(Peer.named("alpha: \"1\"")),
                    Node.of("b").withAddress("h:2").withWeight(3))),
            new Topology(
                4,
                new HaproxyRule("djb2", true),
                List.of(
                    Node.of("a").withAddress("h:1").withPeer(Peer.numbered(7)),
                    Node.of("b").withAddress("h:2"))),
            new Topology(
                5,
                new WorkflowRule(PeerHashes.STD_HASH_32, 0, Replication.of(2)),
                List.of(Node.of("a").withAddress("h:1"))),
            new Topology(
                6,
                new NginxRule(new Replication(2, FailureDomain.NODE)),
                List.of(
                    Node.of("a").withAddress("h:1").withWeight(0),
                    Node.of("b").withAddress("h:2"))),
            new Topology(
                7,
                new JumpRule(HashFunctions.MURMUR3_32, true),
                List.of(Node.of("a").withAddress("h:1"))),
            new Topology(
                    8,
                    SlicesRule.DEFAULT.withTolerance(0.25),
                    List.of(Node.of("a").withAddress("h:1"), Node.of("on").withAddress("h:2")))
                .plus(Node.of("\u8282").withAddress("h:3")),
            new Topology(
                9,
                new RingRule(HashFunctions.XXH64, 77, 3, "\"/\\#", true, Replication.of(3), 5_000),
                List.of(
                    Node.of("true").withAddress("h:1").withZone("null"),
                    Node.of("1e3").withAddress("h:2").withWeight(1.5),
                    Node.of("\u8282\u70b9: {x} #1").withAddress("h:3").withVnodes(0),
                    Node.of("\ud83d\ude80'\"\\").withAddress("[::1]:4").withWeight(0.000001),
                    Node.of("- a").withAddress("h:5").withMachine(Machine.of(4, 0.5)))),
            new Topology(
                Topology.LAST_EPOCH,
                new ModuloRule(HashFunctions.MD5_32_LE, true),
                List.of(Node.of("b").withAddress("h:1"), Node.of("a").withAddress("h:2"))),
            new Topology(
                0,
                SlotsRule.REDIS,
                List.of(
                    Node.of("a").withAddress("h:1").withSlots(SlotRanges.parse("0-5,9")),
                    Node.of("b").withAddress("h:2").withWeight(1_000_000))));
    for (Topology topology : topologies) {
      assertThat(parse(TopologyText.yaml(topology))).isEqualTo(topology);
      assertThat(parse(TopologyText.json(topology))).isEqualTo(topology);
      assertThat(parse("\ufeff" + TopologyText.yaml(topology).replace("\n", "\r\n")))
          .isEqualTo(topology);
    }
  }

  @Test
  void charactersOfTwoUnitsMayStandAnywhere() throws Exception {
    for (int filling = 1_000; filling < 1_060; filling++) {
      String text =
          "# " + "x".repeat(filling) + "\ud83d\ude80".repeat(2_000) + "\nversion: 1\n" + NODES;
      assertThat(parse(text).nodes()).isNotEmpty();
    }
  }

  @Test
  void jsonEscapesMeanWhatTheyMeanInJson() throws Exception {
    Topology topology =
        parse("{\"version\": 1, \"nodes\": [{\"id\": \"\\u8282\\/a\", \"address\": \"h:1\"}]}");
    assertThat(topology.nodes().get(0).id()).isEqualTo("\u8282/a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weight: -1|t.yaml:3: nodes[0].weight: weight -1 is not 0, or a number from 0.000001 to 1000000",
        "weight: NaN|t.yaml:3: nodes[0].weight: NaN is not 0, or a number from 0.000001 to 1000000",
        "weight: .nan|t.yaml:3: nodes[0].weight: .nan is not 0, or a number from 0.000001 to 1000000",
        "weight: abc|t.yaml:3: nodes[0].weight: abc is not 0, or a number from 0.000001 to 1000000",
        "weight: 2147483648|t.yaml:3: nodes[0].weight: weight 2147483648 is not 0, or a number from 0.000001 to 1000000",
        "weight: 1e308|t.yaml:3: nodes[0].weight: weight 1.0E308 is not 0, or a number from 0.000001 to 1000000",
        "weight: 1e999999|t.yaml:3: nodes[0].weight: 1e999999 is not 0, or a number from 0.000001 to 1000000",
        "weight: 1e-400|t.yaml:3: nodes[0].weight: 1e-400 is not 0, or a number from 0.000001 to 1000000",
        "weight: \"1\"|t.yaml:3: nodes[0].weight: the text \"1\" is not 0, or a number from 0.000001 to 1000000",
        "weight:|t.yaml:3: nodes[0].weight: has no value; wanted is 0, or a number from 0.000001 to 1000000, or leave the field out",
        "weight: [1]|t.yaml:3: nodes[0].weight: is a list instead of 0, or a number from 0.000001 to 1000000",
        "vnodes: 1.5|t.yaml:3: nodes[0].vnodes: 1.5 is not a whole number from 0 to 1000000",
        "vnodes: -1|t.yaml:3: nodes[0].vnodes: -1 is outside 0 to 1000000",
        "vnodes: 99999999999999999999|t.yaml:3: nodes[0].vnodes: 99999999999999999999 is outside 0 to 1000000",
        "wieght: 1|t.yaml:3: nodes[0].wieght: is not a field here; known are id, address, weight, vnodes, zone, machine, slots, name, haproxyId",
        "slots: 0-5|t.yaml:3: nodes[0].slots: ring has no slots",
        "zone: \" \"|t.yaml:3: nodes[0].zone: zone \" \" is empty or has a control character",
        "machine: 5|t.yaml:3: nodes[0].machine: is 5 instead of fields with values",
        "machine: { cores: 0 }|t.yaml:3: nodes[0].machine.cores: 0 is outside 1 to 4096",
        "machine: { disk: 1 }|t.yaml:3: nodes[0].machine.disk: is not a field here; known are cores, memoryGib"
      })
  void aNodesFieldIsRefusedWithPlaceValueAndRange(String field, String message) {
    assertRefused("version: 1\nnodes:\n- { id: a, address: \"h:1\", " + field + " }\n", message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "algorithm: circle|t.yaml:2: placement.algorithm: circle is unknown; known are ring, slices, slots, jump, modulo, ketama, nginx, haproxy, workflow",
        "hash: xxh3_64|t.yaml:2: placement.algorithm: is missing; known are ring, slices, slots, jump, modulo, ketama, nginx, haproxy, workflow",
        "algorithm: ring, vnodes: 0|t.yaml:2: placement.vnodes: 0 is outside 1 to 1000000",
        "algorithm: ring, separator: \"1\"|t.yaml:2: placement.separator: separator \"1\" is not 1 to 32 characters without control characters, the last not a digit",
        "algorithm: ring, hashTags: yes|t.yaml:2: placement.hashTags: yes is not true or false",
        "algorithm: ring, slots: 5|t.yaml:2: placement.slots: is not a field here; known are algorithm, hash, vnodes, minVnodes, separator, hashTags, replicas, failureDomain, maxTokens",
        "algorithm: modulo, vnodes: 5|t.yaml:2: placement.vnodes: is not a field here; known are algorithm, hash, hashTags for algorithm modulo",
        "algorithm: slots, slots: 65537|t.yaml:2: placement.slots: 65537 is outside 1 to 65536",
        "algorithm: ring, replicas: 17|t.yaml:2: placement.replicas: 17 is outside 1 to 16",
        "algorithm: ring, maxTokens: 100|t.yaml:3: nodes: 150 tokens are more than maxTokens 100",
        "algorithm: ring, algorithm: ring|t.yaml:2: placement.algorithm: stands twice"
      })
  void aPlacementIsRefusedWithPlaceValueAndRange(String placement, String message) {
    assertRefused("version: 1\nplacement: { " + placement + " }\n" + NODES, message);
  }

  @Test
  void anUnknownHashIsRefusedWithTheKnownOnes() {
    Throwable thrown =
        catchThrowable(
            () -> parse("version: 1\nplacement: { algorithm: ring, hash: md4 }\n" + NODES));
    assertThat(thrown)
        .hasMessageStartingWith("t.yaml:2: placement.hash: md4 is unknown; known are xxh3_64, ")
        .hasMessageContaining("crc32");
  }

  @Test
  void filesThatAreNoTopologies() {
    assertRefused("", "t.yaml: is empty");
    assertRefused("\n# only a comment\n", "t.yaml: is empty");
    assertRefused("just text", "t.yaml:1: is just text instead of fields with values");
    assertRefused("- 1\n- 2\n", "t.yaml:1: is a list instead of fields with values");
    assertRefused("nodes: []\n", "t.yaml:1: version: is missing; this program reads version 1");
    assertRefused("version: 2\n" + NODES, "t.yaml:1: version: 2 is outside 1 to 1");
    assertRefused("version: 1\n", "t.yaml:1: nodes: is missing");
    assertRefused(
        "version: 1\nnodes: []\n",
        "t.yaml:2: nodes: is an empty list; at least one node must own something");
    assertRefused("version: 1\nnodes: 5\n", "t.yaml:2: nodes: is 5 instead of a list");
    assertRefused(
        "version: 1\nepoch: -1\n" + NODES, "t.yaml:2: epoch: -1 is outside 0 to 9007199254740991");
    assertRefused(
        "version: 1\nextra: 1\n" + NODES,
        "t.yaml:2: extra: is not a field here; known are version, epoch, placement, nodes, slices");
    assertRefused("version: 1\nversion: 1\n" + NODES, "t.yaml:2: version: stands twice");
    assertRefused(
        "version: 1\nnodes:\n- { id: a }\n",
        "t.yaml:3: nodes[0].address: is missing; wanted is host:port");
    assertRefused(
        "version: 1\nnodes:\n- { address: \"h:1\" }\n", "t.yaml:3: nodes[0].id: is missing");
    assertRefused(
        "version: 1\n" + NODES + "  - { id: a, address: \"h:2\" }\n",
        "t.yaml:4: nodes[1].id: a stands twice; first on line 3");
    assertRefused(
        "version: 1\nnodes:\n- { id: a, address: \"h:1\", weight: 0 }\n- { id: b, address: \"h:2\", vnodes: 0 }\n",
        "t.yaml:2: nodes: all have weight 0; at least one node must own something");
    assertRefused(
        "version: 1\nplacement: { algorithm: modulo }\nnodes:\n- { id: a, address: \"h:1\", weight: 2 }\n",
        "t.yaml:3: nodes: weight 2 of node a: modulo has no weights, allowed is 1");
    assertRefused("a\u0000b", "t.yaml:1: has a control character, 0x00: not a text file");
    assertRefused(
        "x: [1", "t.yaml:1: is not YAML or JSON: expected ',' or ']', but got <stream end>");
    assertRefused(
        "---\nversion: 1\n---\nversion: 1\n",
        "t.yaml:3: is not YAML or JSON: but found another document");
  }

  @Test
  void aLineThatTheParserWouldTakeLongOverIsRefused() {
    assertRefused(
        "version: 1\nx: \"" + "a".repeat(3 << 20) + "\"\n",
        "t.yaml:2: is longer than 2097152 characters, the most for a line");
  }

  @Test
  void textThatIsNotUtf8IsRefused() {
    byte[] latin1 = "version: 1 # caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> TopologyFiles.parse("t.yaml", latin1))
        .hasMessage("t.yaml: is not text in UTF-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "[[[[[]", "? "})
  void deepNestingIsRefusedAndQuickly(String bracket) {
    for (int depth : new int[] {1_000, 16_000, 300_000}) {
      Throwable thrown = catchThrowable(() -> parse(bracket.repeat(depth)));
      assertThat(thrown).isInstanceOf(ConfigFileException.class);
      assertThat(thrown.getMessage()).doesNotContain("\n").hasSizeLessThan(500);
    }
  }

  @Test
  void aliasesCannotMakeABomb() {
    StringBuilder bomb = new StringBuilder("version: 1\na0: &a0 [x, x]\n");
    for (int i = 1; i < 60; i++) {
      bomb.append("a").append(i).append(": &a").append(i);
      bomb.append(" [*a").append(i - 1).append(", *a").append(i - 1).append("]\n");
    }
    assertThatThrownBy(() -> parse(bomb.toString())).isInstanceOf(ConfigFileException.class);
  }

  @Test
  void messagesAreOneLineWhateverTheFileHolds() {
    Random random = new Random(5);
    String sound = TopologyText.yaml(Topology.ring("a", "b"));
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = sound.getBytes(StandardCharsets.UTF_8);
      for (int n = random.nextInt(4); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        TopologyFiles.parse("t.yaml", bytes);
      } catch (ConfigFileException e) {
        assertThat(e.getMessage()).startsWith("t.yaml").doesNotContain("\n").doesNotContain("\r");
      }
    }
  }

  @Test
  void filesAndFolders(@TempDir Path folder) throws Exception {
    assertThatThrownBy(() -> TopologyFiles.read(folder))
        .hasMessageEndingWith("is a folder, not a topology file");
    assertThatThrownBy(() -> TopologyFiles.read(folder.resolve("none")))
        .hasMessageEndingWith("there is no such file");
    Path huge = folder.resolve("huge.yaml");
    try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
      file.setLength(1L << 30);
    }
    assertThatThrownBy(() -> TopologyFiles.read(huge))
        .hasMessageEndingWith("is larger than 8 MiB, the most that is read");
    Path good = folder.resolve("good.json");
    Files.writeString(
        good,
        TopologyText.json(
            new Topology(1, RingRule.DEFAULT, List.of(Node.of("a").withAddress("h:1")))));
    assertThat(TopologyFiles.read(good).epoch()).isEqualTo(1);
  }

  @Test
  void aLargeTopologyIsReadInReasonableTime() throws Exception {
    StringBuilder text =
        new StringBuilder("version: 1\nplacement: { algorithm: ring, vnodes: 10 }\nnodes:\n");
    for (int i = 0; i < 20_000; i++) {
      text.append("  - { id: n").append(i).append(", address: \"h:").append(1 + i).append("\" }\n");
    }
    assertThat(parse(text.toString()).nodes()).hasSize(20_000);
  }
}
