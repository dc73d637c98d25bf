package dev.beltway.config.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.config.TopologyFiles;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PoolsTest {

  private static final Path COMPAT =
      Path.of(System.getProperty("beltway.root"), "examples", "compat");

  private static List<Pool> nutcracker(String text) throws Exception {
    return Nutcracker.read("n.yml", text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void twemproxysPoolsAreRead() throws Exception {
    List<Pool> pools =
        nutcracker(
            """
            alpha:
              listen: 127.0.0.1:22121
              hash: murmur
              distribution: ketama
              hash_tag: "{}"
              auto_eject_hosts: true
              redis: true
              redis_auth: secret
              servers:
               - 10.0.0.1:6379:1 one
               - 10.0.0.2:6379:3
            beta:
              listen: 127.0.0.1:22122
              servers: ["10.0.0.1:11211:1"]
            """);
    assertThat(pools).extracting(Pool::name).containsExactly("alpha", "beta");
    Topology alpha = pools.get(0).topology();
    assertThat(alpha.canonicalForm()).contains("keyHash murmur", "hashTags true", "name one");
    assertThat(alpha.nodes()).extracting(Node::id).containsExactly("one", "server-2");
    assertThat(alpha.nodes().get(1).weight().value()).isEqualTo(3);
    assertThat(pools.get(0).notes()).hasSize(2);
    assertThat(pools.get(0).notes().toString()).contains("--policy next").doesNotContain("secret");
    assertThat(pools.get(1).notes().toString()).contains("memcached");
  }

  @Test
  void whatTwemproxyHasAndWeHaveNotIsRefusedWithTheReason() {
    assertThatThrownBy(() -> nutcracker("p:\n  distribution: modula\n  servers: ['a:1:1']\n"))
        .isInstanceOf(PoolException.class)
        .hasMessageContaining("pool p: distribution modula");
    assertThatThrownBy(() -> nutcracker("p:\n  hash: sha1\n  servers: ['a:1:1']\n"))
        .hasMessageContaining("hash sha1 is none of");
    assertThatThrownBy(() -> nutcracker("p:\n  hash_tag: '[]'\n  servers: ['a:1:1']\n"))
        .hasMessageContaining("hash_tag \"[]\"");
    assertThatThrownBy(() -> nutcracker("p:\n  servers: ['/tmp/s:1']\n"))
        .hasMessageContaining("server \"/tmp/s:1\"");
    assertThatThrownBy(() -> nutcracker("p:\n  servers: ['a:1']\n")).hasMessageContaining("\"a\"");
    assertThatThrownBy(() -> nutcracker("p:\n  hash: md5\n")).hasMessageContaining("servers");
    assertThatThrownBy(() -> nutcracker("just text")).hasMessageContaining("n.yml");
  }

  @Test
  void nginxsUpstreamsAreRead() throws Exception {
    List<Pool> pools =
        NginxUpstream.read(
            """
            events {}
            http { # a comment { with braces
              upstream "cache" {
                hash "$request_uri;${arg_x}" consistent;
                server 10.0.0.1:8080 weight=3 max_fails=2;
                server 10.0.0.2;
                server 10.0.0.3:80 down;
                server 10.0.0.4:80 backup;
              }
              server { listen 80; location / { proxy_pass http://cache; } }
            }
            """);
    assertThat(pools).hasSize(1);
    Topology topology = pools.get(0).topology();
    assertThat(topology.nodes()).hasSize(3);
    assertThat(topology.nodes().get(0).weight().value()).isEqualTo(3);
    assertThat(topology.nodes().get(1).peer().name()).hasValue("10.0.0.2");
    assertThat(topology.nodes().get(1).address()).hasValue("10.0.0.2:80");
    assertThat(topology.nodes().get(2).isDrained()).isTrue();
    assertThat(pools.get(0).notes().toString()).contains("10.0.0.4:80").contains("backup");
    for (String bad :
        List.of(
            "upstream a { server b:1; }",
            "upstream a { hash $x; server b:1; }",
            "upstream a { hash $x consistent; server unix:/s; }",
            "upstream a { hash $x consistent; server b:1 weight=0; }",
            "upstream a { hash $x consistent; server b:1",
            "; ;",
            "upstream a { hash 'x }")) {
      assertThatThrownBy(() -> NginxUpstream.read(bad))
          .as(bad)
          .isInstanceOf(PoolException.class)
          .hasMessageMatching("(?s)line 1: .*");
    }
    assertThat(NginxUpstream.read("")).isEmpty();
  }

  @Test
  void haproxysBackendsAreRead() throws Exception {
    List<Pool> pools =
        HaproxyBackend.read(
            """
            defaults
                hash-type consistent djb2 avalanche
                default-server weight 2
            backend cache
                balance uri
                server a 10.0.0.1:80
                server b 10.0.0.2:80 weight 5 id 7 check
                server c 10.0.0.3:80 disabled # gone
                server d 10.0.0.4:80 backup
            listen other
                bind :81
                hash-type consistent
                hash-balance-factor 150
                server "a" 10.0.0.1:80 weight 1
            frontend f
                default_backend cache
            """);
    assertThat(pools).extracting(Pool::name).containsExactly("cache", "other");
    Topology cache = pools.get(0).topology();
    assertThat(cache.canonicalForm()).contains("function djb2", "avalanche true");
    assertThat(cache.nodes()).extracting(Node::id).containsExactly("a", "b", "c");
    assertThat(cache.nodes()).extracting(n -> n.weight().value()).containsExactly(2.0, 5.0, 0.0);
    assertThat(cache.nodes().get(1).peer().haproxyId()).hasValue(7);
    assertThat(pools.get(1).topology().canonicalForm()).contains("function sdbm", "avalanche true");
    assertThat(pools.get(1).notes().toString()).contains("hash-balance-factor");
    for (String bad :
        List.of(
            "backend a\n server b c:1\n",
            "backend a\n hash-type map-based\n server b c:1\n",
            "backend a\n hash-type consistent sha1\n server b c:1\n",
            "backend a\n hash-type consistent\n server b c:1 weight 300\n",
            "backend a\n hash-type consistent\n server b c:1 hash-key addr\n",
            "backend a\n hash-type consistent\n server b\n",
            "backend a\n hash-type consistent\n server b 10.0.0.1\n",
            "backend a\n hash-type 'consistent\n")) {
      assertThatThrownBy(() -> HaproxyBackend.read(bad))
          .as(bad)
          .isInstanceOf(PoolException.class)
          .hasMessageMatching("(?s)line \\d+: .*");
    }
  }

  /** Every example that another system's pool is: written for that system and read again. */
  @Test
  void whatIsWrittenReadsBackToTheSameMapping() throws Exception {
    int written = 0;
    for (String system : List.of("twemproxy", "nginx", "haproxy")) {
      try (Stream<Path> files = Files.list(COMPAT.resolve(system))) {
        for (Path file : files.sorted().toList()) {
          Topology topology = TopologyFiles.read(file);
          List<Pool> pools =
              switch (system) {
                case "twemproxy" -> nutcracker(Nutcracker.write("p", topology));
                case "nginx" -> NginxUpstream.read(NginxUpstream.write("p", topology));
                default -> HaproxyBackend.read(HaproxyBackend.write("p", topology));
              };
          assertThat(withoutIds(pools.get(0).topology()))
              .as(file.toString())
              .isEqualTo(withoutIds(topology));
          written++;
        }
      }
    }
    assertThat(written).isEqualTo(56);
  }

  /** Ids are ours: what decides an owner there are names, numbers and weights. */
  private static String withoutIds(Topology topology) {
    return topology.canonicalForm().replaceAll("(?m)^(node \\S+( \\d+)?) \\S+$", "$1");
  }

  @Test
  void whatHasAnotherRingIsNotWritten() throws Exception {
    Topology ring = Topology.ring("a", "b");
    assertThatThrownBy(() -> Nutcracker.write("p", ring))
        .hasMessageContaining("this topology is ring, and its keys would move");
    assertThatThrownBy(() -> NginxUpstream.write("p", ring)).hasMessageContaining("ring");
    assertThatThrownBy(() -> HaproxyBackend.write("p", ring)).hasMessageContaining("ring");
    Path first;
    try (Stream<Path> files = Files.list(COMPAT.resolve("libmemcached"))) {
      first = files.sorted().findFirst().orElseThrow();
    }
    Topology ketama = TopologyFiles.read(first);
    assertThatThrownBy(() -> Nutcracker.write("p", ketama))
        .hasMessageContaining("ketama of libmemcached");
  }
}
