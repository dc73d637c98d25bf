package dev.beltway.lab.tables;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The articles' rings, key by key: {@code p1_article_ring_vectors.json}. */
class ArticleRingTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static JsonNode read(String name) throws Exception {
    return JSON.readTree(ArticleRingTest.class.getResourceAsStream("/vectors/" + name));
  }

  /** The ring that a column's name describes. */
  private static ArticleRing ring(String column) {
    String article = column.substring(0, 6);
    switch (article) {
      case "art000" -> {
        int nodes = Integer.parseInt(part(column, "nodes"));
        int vnodes = Integer.parseInt(part(column, "v"));
        boolean printed = part(column, "basis").equals("printed");
        boolean finalized = part(column, "finalizer").equals("1");
        HashFunction hash =
            !printed
                ? HashFunctions.FNV1A_64_SPLITMIX64
                : finalized ? ArticleHashes.MISPRINTED_FINALIZED : ArticleHashes.MISPRINTED_PLAIN;
        String salt = part(column, "salt");
        return ArticleRing.of(
            IntStream.range(0, nodes).mapToObj(i -> salt + "-" + i).toList(), vnodes, hash);
      }
      case "art001" -> {
        return ArticleRing.of(
            names(column), Integer.parseInt(part(column, "v")), HashFunctions.MD5);
      }
      case "art003" -> {
        HashFunction hash =
            part(column, "hash").equals("fmix")
                ? ArticleHashes.UTF16_FINALIZED
                : ArticleHashes.UTF16_PLAIN;
        return ArticleRing.of(names(column), Integer.parseInt(part(column, "v")), hash);
      }
      default -> {
        assertThat(article).isEqualTo("art004");
        return ArticleRing.ofNames(names(column), HashFunctions.MD5_32_BE);
      }
    }
  }

  private static List<String> names(String column) {
    return List.of(part(column, "nodes").split(","));
  }

  private static String part(String column, String name) {
    for (String word : column.split(" ")) {
      if (word.startsWith(name + "=")) {
        return word.substring(name.length() + 1);
      }
    }
    throw new IllegalArgumentException(column + " has no " + name);
  }

  @Test
  void everyKeyOfEveryRing() throws Exception {
    JsonNode vectors = read("p1_article_ring_vectors.json");
    JsonNode columns = vectors.get("header").get("columns");
    int compared = 0;
    for (int column = 1; column < columns.size(); column++) {
      ArticleRing ring = ring(columns.get(column).asText());
      for (JsonNode row : vectors.get("rows")) {
        assertThat(ring.owner(row.get(0).asText()))
            .as("%s on %s", row.get(0), columns.get(column))
            .isEqualTo(row.get(column).asInt());
        compared++;
      }
    }
    assertThat(compared).isEqualTo(301 * 15);
  }

  @Test
  void everyGroupOfArticle003() throws Exception {
    JsonNode vectors = read("p1_003_groups_raw.json");
    for (HashFunction hash : List.of(ArticleHashes.UTF16_FINALIZED, ArticleHashes.UTF16_PLAIN)) {
      KeyPositions keys =
          new KeyPositions(
              IntStream.range(0, 200_000).mapToLong(i -> hash.position("k" + i)).toArray());
      String name = hash == ArticleHashes.UTF16_FINALIZED ? "fmix" : "naive";
      int compared = 0;
      for (JsonNode row : vectors.get("rows")) {
        if (!row.get(0).asText().equals(name)) {
          continue;
        }
        int group = row.get(2).asInt();
        List<String> six =
            List.of("A", "B", "C", "D", "E", "F").stream().map(n -> n + "-" + group).toList();
        int vnodes = row.get(1).asInt();
        ArticleRing before = ArticleRing.of(six.subList(0, 5), vnodes, hash);
        ArticleRing after = ArticleRing.of(six, vnodes, hash);
        KeyPositions.Moved moved = keys.moved(before.tokens(), after.tokens());
        assertThat(moved.total()).isEqualTo(row.get(3).asInt());
        assertThat(moved.betweenOld()).isEqualTo(row.get(4).asInt());
        int[] loads = keys.loads(before.tokens());
        assertThat(java.util.Arrays.stream(loads).max().orElseThrow())
            .isEqualTo(row.get(6).asInt());
        assertThat(java.util.Arrays.stream(loads).min().orElseThrow())
            .isEqualTo(row.get(7).asInt());
        compared++;
      }
      assertThat(compared).isEqualTo(1200);
    }
  }

  @Test
  void hashesOfTheArticles() throws Exception {
    JsonNode vectors =
        JSON.readTree(
            Path.of(
                    System.getProperty("beltway.root", ".."),
                    "core/src/test/resources/vectors/a_hash_vectors.json")
                .toFile());
    List<String> columns = new java.util.ArrayList<>();
    vectors.get("header").get("columns").forEach(c -> columns.add(c.asText()));
    for (JsonNode row : vectors.get("rows")) {
      String key = row.get(0).asText();
      check(ArticleHashes.UTF16_PLAIN, key, row.get(columns.indexOf("fnv1a32_utf16_art003")));
      check(
          ArticleHashes.UTF16_FINALIZED,
          key,
          row.get(columns.indexOf("fnv1a32_utf16_fmix32_art003")));
      check(ArticleHashes.MISPRINTED_PLAIN, key, row.get(columns.indexOf("fnv1a64_art000basis")));
      check(
          ArticleHashes.MISPRINTED_FINALIZED,
          key,
          row.get(columns.indexOf("fnv1a64_art000basis_splitmix")));
    }
  }

  private static void check(HashFunction hash, String key, JsonNode expected) {
    long value = Long.parseUnsignedLong(expected.asText(), 16);
    assertThat(hash.hash(key)).as(key).isEqualTo(value);
    assertThat(hash.hash(key.getBytes(StandardCharsets.UTF_8))).as(key).isEqualTo(value);
  }
}
