package dev.beltway.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HashQualityTest {

  static Collection<HashFunction> functions() {
    return HashFunctions.all().values();
  }

  private static HashQuality judge(HashFunction hash) {
    return HashQuality.of(hash, HashQuality.madeUpNames(), HashQuality.madeUpKeys());
  }

  @ParameterizedTest
  @MethodSource("functions")
  void theVerdictIsWhatLintSays(HashFunction hash) {
    HashQuality quality = judge(hash);
    assertThat(quality.isGuilty())
        .as("%s: %s", hash, quality.reasons())
        .isEqualTo(HashFunctions.isWeak(hash));
    assertThat(quality.remedy().isEmpty()).isEqualTo(!quality.isGuilty());
  }

  @ParameterizedTest
  @MethodSource("functions")
  void otherNamesAndKeysGiveTheSameVerdict(HashFunction hash) {
    List<String> names = IntStream.range(0, 25).mapToObj(i -> "cache" + (char) ('a' + i)).toList();
    List<byte[]> keys =
        IntStream.range(0, 5_000)
            .mapToObj(i -> ("user:" + i * 7919 + ":profile").getBytes(StandardCharsets.UTF_8))
            .toList();
    assertThat(HashQuality.of(hash, names, keys).isGuilty()).isEqualTo(HashFunctions.isWeak(hash));
  }

  @ParameterizedTest
  @MethodSource("functions")
  void noGoodHashIsConvictedByTheLeastThatIsAllowed(HashFunction hash) {
    if (HashFunctions.isWeak(hash)) {
      return; // With so little to go by a weak one may pass.
    }
    for (int draw = 0; draw < 10; draw++) {
      int from = 1000 * draw;
      List<byte[]> keys =
          IntStream.range(from, from + 100)
              .mapToObj(i -> ("k" + i).getBytes(StandardCharsets.UTF_8))
              .toList();
      List<String> names = List.of("a" + draw, "b" + draw);
      HashQuality quality = HashQuality.of(hash, names, keys);
      assertThat(quality.reasons()).as("%s, draw %d", hash, draw).isEmpty();
    }
  }

  @Test
  void plainFnvIsConvictedForItsSteps() {
    TokenQuality tokens = TokenQuality.of(HashFunctions.FNV1A_32, List.of("A", "B"));
    // 1,000 tokens on 108 residues, ten on one: as published.
    assertThat(tokens.residues()).isEqualTo(108);
    assertThat(tokens.mostOnOneResidue()).isEqualTo(10);
    assertThat(tokens.stepModulus()).isEqualTo(16_777_619);
    HashQuality quality = judge(HashFunctions.FNV1A_32);
    assertThat(quality.tokens().effectiveVnodes()).isLessThan(20);
    assertThat(quality.reasons()).anyMatch(reason -> reason.contains("in steps"));
    assertThat(quality.remedy()).contains("fnv1a_32_fmix32");
  }

  @Test
  void aMixedHashHasTheVnodesThatItPaysFor() {
    TokenQuality tokens = judge(HashFunctions.XXH3_64).tokens();
    assertThat(tokens.effectiveVnodes()).isBetween(75.0, 135.0);
    assertThat(tokens.tenfoldGain()).isCloseTo(Math.sqrt(10), within(0.5));
    assertThat(tokens.residues()).isEqualTo(1000);
    assertThat(tokens.largestGap()).isBetween(4.0, 17.0);
  }

  @Test
  void theFifteenBitCrcStarvesThreeOfFourServers() {
    HashFunction crc = PeerHashes.all().getOrDefault("twemproxy:crc32", HashFunctions.XXH3_64);
    HashQuality quality = judge(crc);
    assertThat(quality.keys().fullestOfFour()).isEqualTo(1);
    assertThat(quality.reasons().get(0)).contains("of four equal servers one takes 100.0 %");
    assertThat(quality.remedy()).contains("crc32a");
    HashFunction whole = PeerHashes.all().getOrDefault("twemproxy:crc32a", HashFunctions.XXH3_64);
    assertThat(judge(whole).keys().starves()).isFalse();
  }

  @Test
  void theAvalancheOfALinearCodeIsAllOrNothing() {
    Avalanche linear = judge(HashFunctions.CRC32).onKeys();
    assertThat(linear.deadCells()).isEqualTo(1);
    assertThat(linear.worst()).isEqualTo(0.5);
    Avalanche mixed = judge(HashFunctions.XXH3_64).onKeys();
    assertThat(mixed.deadCells()).isZero();
    assertThat(mixed.mean()).isCloseTo(0.5, within(0.005));
    assertThat(mixed.meanOfBytes(0, 7)).isCloseTo(0.5, within(0.02));
  }

  @Test
  void tooLittleToJudgeByIsRefused() {
    assertThatThrownBy(() -> TokenQuality.of(HashFunctions.MD5, List.of("a")))
        .hasMessage("1 names: wanted are 2 or more, all different");
    assertThatThrownBy(() -> TokenQuality.of(HashFunctions.MD5, List.of("a", "a")))
        .hasMessageContaining("all different");
    assertThatThrownBy(() -> Avalanche.of(HashFunctions.MD5, List.of()))
        .hasMessageContaining("0 texts are fewer than 100");
    assertThatThrownBy(() -> KeySpread.of(HashFunctions.MD5, List.of()))
        .hasMessageContaining("no keys");
  }
}
