package dev.beltway.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.beltway.testing.Seeded;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of {@link HashFunction}, for every function that a topology can name. */
class HashFunctionTest {

  static Iterable<HashFunction> all() {
    return HashFunctions.all().values();
  }

  @ParameterizedTest
  @MethodSource("all")
  void stringsAreTheirUtf8Bytes(HashFunction function) {
    Seeded.forSeeds(
        200,
        random -> {
          String key = random.nextKey(random.oneIn(10) ? 1500 : 40);
          assertThat(function.hash(key))
              .isEqualTo(function.hash(key.getBytes(StandardCharsets.UTF_8)));
        });
  }

  @ParameterizedTest
  @MethodSource("all")
  void unpairedSurrogatesCountAsQuestionMarks(HashFunction function) {
    for (String key : new String[] {"\ud800", "a\udc00b", "\ud800\ud800\udc00", "x\ud83d"}) {
      assertThat(function.hash(key)).isEqualTo(function.hash(key.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void staysWithinItsBits(HashFunction function) {
    for (int i = 0; i < 1000; i++) {
      long hash = function.hash("key-" + i);
      assertThat(function.bits() == 64 || hash >>> function.bits() == 0).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void refusesRangesOutsideTheArray(HashFunction function) {
    byte[] bytes = new byte[8];
    assertThatThrownBy(() -> function.hash(bytes, 4, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> function.hash(bytes, -1, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> function.hash(bytes, 0, -1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @ParameterizedTest
  @MethodSource("all")
  void isFoundByItsName(HashFunction function) {
    assertThat(HashFunctions.named(function.name())).isSameAs(function);
  }

  @Test
  void unknownNamesAreRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> HashFunctions.named("md4"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("md4")
        .hasMessageContaining("xxh3_64");
  }

  @Test
  void hashingShortStringsAllocatesNothing() {
    String[] keys = {"user:0000000042", "caf\u00e9-\u00fcber", "\u8282\u70b9-42", "\ud83d\ude80:7"};
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    HashFunction[] functions = {
      HashFunctions.XXH3_64, HashFunctions.XXH64, HashFunctions.FNV1A_64_SPLITMIX64
    };
    long sum = 0;
    for (HashFunction function : functions) {
      for (int round = 0; round < 20_000; round++) {
        for (String key : keys) {
          sum += function.position(key);
        }
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int round = 0; round < 1_000; round++) {
        for (String key : keys) {
          sum += function.position(key);
        }
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated).as("bytes for 4,000 hashes by %s", function).isLessThan(4_000);
    }
    assertThat(sum).isNotZero();
  }
}
