package dev.beltway.balance;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A hash on trial: does it place tokens and keys as chance would? Measured, not looked up.
 *
 * @param hash the function
 * @param tokens how it places tokens
 * @param onLabels what turning a bit of a label does
 * @param onKeys what turning a bit of a key does
 * @param keys how it spreads keys
 */
public record HashQuality(
    HashFunction hash, TokenQuality tokens, Avalanche onLabels, Avalanche onKeys, KeySpread keys) {

  private static final int LABELS_OF_NODE = 200;
  private static final int MADE_UP_KEYS = 20_000;
  private static final int MADE_UP_NAMES = 10;

  /**
   * Judges a hash by node names and keys.
   *
   * @param names 2 or more different ones
   * @param keys 100 or more different ones
   */
  public static HashQuality of(HashFunction hash, List<String> names, List<byte[]> keys) {
    List<byte[]> labels = new ArrayList<>();
    for (String name : names) {
      for (int i = 0; i < LABELS_OF_NODE; i++) {
        labels.add((name + '#' + i).getBytes(StandardCharsets.UTF_8));
      }
    }
    return new HashQuality(
        hash,
        TokenQuality.of(hash, names),
        Avalanche.of(hash, labels),
        Avalanche.of(hash, keys),
        KeySpread.of(hash, keys));
  }

  /** Names to judge by where there are none: half of them words, half addresses. */
  public static List<String> madeUpNames() {
    return TokenQuality.madeUpNames(MADE_UP_NAMES);
  }

  /** Keys to judge by where there are none: {@code key-0}, {@code key-1} … */
  public static List<byte[]> madeUpKeys() {
    return IntStream.range(0, MADE_UP_KEYS)
        .mapToObj(i -> ("key-" + i).getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  /** Whether the hash must not place the tokens of a ring. */
  public boolean isGuilty() {
    return !reasons().isEmpty();
  }

  /** What speaks against the hash, in sentences; empty if nothing does. */
  public List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    if (keys.starves()) {
      reasons.add(
          say(
              "It crowds keys into a small part of the ring: of four equal servers one takes"
                  + " %.1f %%, and %.1f %% of the ring is empty.",
              100 * keys.fullestOfFour(), 100 * keys.emptyArcs()));
    }
    if (!tokens.vnodesCount()) {
      reasons.add(
          say(
              "It clumps tokens: %d vnodes balance as %.1f would under a mixed hash.",
              TokenQuality.VNODES, tokens.effectiveVnodes()));
    }
    if (!tokens.hasNoSteps()) {
      reasons.add(
          say(
              "Tokens of one node follow each other in steps: %,d of them fall on %,d residues"
                  + " modulo %,d, up to %d on one.",
              TokenQuality.STEP_VNODES,
              tokens.residues(),
              tokens.stepModulus(),
              tokens.mostOnOneResidue()));
    }
    if (!tokens.gapsAreUsual()) {
      reasons.add(
          say(
              "It leaves gaps: the largest is %.1f times the mean; chance makes about %.1f.",
              tokens.largestGap(), tokens.expectedGap()));
    }
    if (!tokens.tenfoldHelps()) {
      reasons.add(
          say(
              "More vnodes don't repair it: ten times as many divide the deviation by %.2f instead"
                  + " of 3.16.",
              tokens.tenfoldGain()));
    }
    if (!onLabels.isGood() || !onKeys.isGood()) {
      boolean labels =
          !onLabels.isGood() && (onKeys.isGood() || onLabels.worst() >= onKeys.worst());
      Avalanche worse = labels ? onLabels : onKeys;
      reasons.add(
          say(
              "It doesn't mix: some output bit changes with some input bit in %.0f %% of the cases"
                  + " instead of 50 %%, and %.1f %% of all pairs of bits are dead.",
              100 * (0.5 + worse.worst()), 100 * worse.deadCells()));
    }
    if (!keys.isEven() && !keys.starves()) {
      reasons.add(
          say(
              "It spreads these keys unevenly: counts in equal arcs vary %.1f times as much as"
                  + " chance makes them.",
              keys.unevenness()));
    }
    return reasons;
  }

  /** What to take instead; empty for a hash that is not guilty. */
  public String remedy() {
    if (!isGuilty()) {
      return "";
    }
    return switch (hash.name()) {
      case "fnv1a_32" ->
          "Use xxh3_64; where FNV-1a is a must, fnv1a_32_fmix32, the same with a finalizer.";
      case "fnv1a_64" ->
          "Use xxh3_64; where FNV-1a is a must, fnv1a_64_splitmix64, the same with a finalizer.";
      case "crc16" -> "Use it for slots, where it belongs; for a ring xxh3_64.";
      default ->
          hash.name().startsWith("twemproxy:")
              ? "In twemproxy choose murmur, md5 or crc32a (32 bits of the same CRC); for a ring of"
                  + " your own xxh3_64. Either moves nearly every key once: plan it."
              : PeerHashes.all().containsKey(hash.name())
                  ? "Choose murmur or md5 there; for a ring of your own xxh3_64. Either moves nearly"
                      + " every key once: plan it."
                  : "Use xxh3_64.";
    };
  }

  private static String say(String pattern, Object... figures) {
    return String.format(Locale.ROOT, pattern, figures);
  }
}
