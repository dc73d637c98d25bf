package dev.beltway.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.beltway.testing.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every function against values from independent implementations, {@code a_hash_vectors.json}. */
class HashVectorsTest {

  private static final Map<String, HashFunction> COLUMNS =
      Map.ofEntries(
          Map.entry("fnv1a32", HashFunctions.FNV1A_32),
          Map.entry("fnv1a32_fmix32", HashFunctions.FNV1A_32_FMIX32),
          Map.entry("fnv1a64", HashFunctions.FNV1A_64),
          Map.entry("fnv1a64_splitmix", HashFunctions.FNV1A_64_SPLITMIX64),
          Map.entry("murmur3_x86_32", HashFunctions.MURMUR3_32),
          Map.entry("murmur3_x64_128_h1", HashFunctions.MURMUR3_128),
          Map.entry("xxh64", HashFunctions.XXH64),
          Map.entry("xxh3_64", HashFunctions.XXH3_64),
          Map.entry("md5_first4_le", HashFunctions.MD5_32_LE),
          Map.entry("md5_first4_be", HashFunctions.MD5_32_BE),
          Map.entry("crc16_xmodem", HashFunctions.CRC16),
          Map.entry("crc32", HashFunctions.CRC32),
          Map.entry("sha256_first8_be", HashFunctions.SHA256));

  @TestFactory
  Iterable<DynamicTest> agreesWithVectorsOnBytesStringsAndParts() {
    Vectors vectors = Vectors.read("a_hash_vectors.json");
    return COLUMNS.entrySet().stream()
        .map(
            column ->
                DynamicTest.dynamicTest(
                    column.getKey(),
                    () -> {
                      int at = vectors.column(column.getKey());
                      for (JsonNode row : vectors.rows()) {
                        check(column.getValue(), row.get(0).asText(), Vectors.hex(row.get(at)));
                      }
                    }))
        .toList();
  }

  @TestFactory
  Iterable<DynamicTest> md5IsTheTopHalfOfTheDigest() {
    Vectors vectors = Vectors.read("a_hash_vectors.json");
    int at = vectors.column("md5_hex");
    return java.util.List.of(
        DynamicTest.dynamicTest(
            "md5",
            () -> {
              for (JsonNode row : vectors.rows()) {
                long top = Long.parseUnsignedLong(row.get(at).asText().substring(0, 16), 16);
                check(HashFunctions.MD5, row.get(0).asText(), top);
              }
            }));
  }

  private static void check(HashFunction function, String key, long expected) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    assertThat(function.hash(bytes)).as(key).isEqualTo(expected);
    assertThat(function.hash(key)).as("as a string: %s", key).isEqualTo(expected);
    byte[] larger = new byte[bytes.length + 7];
    Arrays.fill(larger, (byte) 0xa5);
    System.arraycopy(bytes, 0, larger, 3, bytes.length);
    assertThat(function.hash(larger, 3, bytes.length)).as("inside: %s", key).isEqualTo(expected);
    assertThat(function.position(key)).isEqualTo(expected << (64 - function.bits()));
    assertThat(function.position(bytes)).isEqualTo(expected << (64 - function.bits()));
  }
}
