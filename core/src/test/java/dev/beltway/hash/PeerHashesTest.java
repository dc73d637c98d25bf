package dev.beltway.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.testing.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class PeerHashesTest {

  @Test
  void libhashkitsFunctionsAreThoseOfTheRealLibrary() {
    Vectors vectors = Vectors.read("a_libhashkit_vectors.json");
    int compared = 0;
    for (int column = 1; column < vectors.header().get("columns").size(); column++) {
      String name = vectors.header().get("columns").get(column).asText().toLowerCase(Locale.ROOT);
      HashFunction hash =
          PeerHashes.all()
              .getOrDefault(
                  "libmemcached:" + (name.equals("default") ? "one_at_a_time" : name),
                  HashFunctions.SHA256);
      for (JsonNode row : vectors.rows()) {
        byte[] key = row.get(0).asText().getBytes(StandardCharsets.UTF_8);
        assertThat(hash.hash(key))
            .as("%s of %s", name, row.get(0))
            .isEqualTo(Vectors.hex(row.get(column)));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(301 * 10);
  }

  @Test
  void stdHashIsLibstdcxxs() {
    Vectors vectors = Vectors.read("a_stdhash_workflow.json");
    int column = vectors.column("std_hash");
    for (JsonNode row : vectors.rows()) {
      long hash = PeerHashes.STD_HASH.hash(row.get(0).asText());
      assertThat(hash).isEqualTo(Vectors.hex(row.get(column)));
      assertThat(PeerHashes.STD_HASH_32.hash(row.get(0).asText())).isEqualTo(hash & 0xffffffffL);
    }
  }

  @Test
  void twemproxyHashesTheEmptyKeyToZero() {
    PeerHashes.ofTwemproxy()
        .values()
        .forEach(hash -> assertThat(hash.hash("")).as(hash.name()).isZero());
  }

  @Test
  void namesAreUniqueAndSayWhose() {
    assertThat(PeerHashes.all()).hasSize(10 + 12 + 8 + 2);
    assertThat(PeerHashes.all()).containsKeys("twemproxy:crc32", "haproxy:wt6+avalanche");
    PeerHashes.all().forEach((name, hash) -> assertThat(hash.name()).isEqualTo(name));
    assertThat(PeerHashes.ofTwemproxy().keySet()).contains("crc32", "hsieh");
    assertThat(HashFunctions.all())
        .doesNotContainKeys(PeerHashes.all().keySet().toArray(new String[0]));
  }

  @Test
  void theFifteenBitCrcIsTheOneThatLeavesTheRingEmpty() {
    PeerHashes.all()
        .forEach(
            (name, hash) -> {
              long most = 0;
              for (int i = 0; i < 2000; i++) {
                most = Math.max(most, hash.hash("key-" + i));
              }
              boolean low = most < 1L << hash.bits() - 8 && most >= 0;
              assertThat(PeerHashes.leavesRingEmpty(hash)).as(name).isEqualTo(low);
            });
  }
}
