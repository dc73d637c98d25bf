package dev.beltway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.testing.Seeded;
import dev.beltway.testing.Spymemcached;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.spy.memcached.KetamaNodeKeyFormatter.Format;
import net.spy.memcached.NodeLocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ketama against the real Java client, in both of its key formats. */
@Tag("long")
class SpymemcachedTest {

  private static void compare(KetamaVariant variant, Format format) {
    Seeded.forSeeds(
        8,
        random -> {
          Map<String, Integer> servers = new LinkedHashMap<>();
          List<Node> nodes = new ArrayList<>();
          int count = random.between(1, 25);
          boolean weighted = random.oneIn(2) || format == Format.LIBMEMCACHED;
          for (int i = 0; i < count; i++) {
            String address = "10.1." + i + ".7:" + (random.oneIn(2) ? 11211 : 11212);
            // In its libmemcached format the client still counts points its own way when all
            // weights are equal, so one server is made heavier.
            int weight = weighted ? (i == 0 ? 9 : random.between(1, 8)) : 1;
            servers.put(address, weight);
            nodes.add(Node.of("n" + i).withAddress(address).withWeight(weight));
          }
          NodeLocator locator = Spymemcached.ketama(format, servers);
          Placement placement = Placements.of(new Topology(0, KetamaRule.of(variant), nodes));
          for (int i = 0; i < 500; i++) {
            String key = random.oneIn(2) ? "key-" + i : random.nextKey(40);
            assertThat(placement.owner(key).address().orElseThrow())
                .isEqualTo(Spymemcached.owner(locator, key));
          }
        });
  }

  @Test
  void theJavaClientsOwnFormat() {
    compare(KetamaVariant.SPYMEMCACHED_JAVA, Format.SPYMEMCACHED);
  }

  @Test
  void theJavaClientsLibmemcachedFormat() {
    compare(KetamaVariant.LIBMEMCACHED_WEIGHTED, Format.LIBMEMCACHED);
  }
}
