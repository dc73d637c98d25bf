package dev.beltway.balance;

import dev.beltway.hash.HashFunction;
import dev.beltway.token.Share;
import dev.beltway.token.TokenMap;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How well a hash places tokens, measured on labels {@code name#index} and held against what theory
 * says of a perfect one. Figures are pooled over many rings of the same names, each with indexes of
 * its own, so that one lucky or unlucky ring decides nothing: as many as bring the error of a
 * deviation below 4 %.
 *
 * @param nodes the number of names
 * @param rings the number of rings
 * @param effectiveVnodes how many vnodes a perfect hash would need for the deviation that this one
 *     has with {@value #VNODES}: ((n − 1) / CV² − 1) / n
 * @param largestGap the largest gap between neighbouring tokens over the mean gap, on the first
 *     ring
 * @param expectedGap what that is on average for a perfect hash
 * @param stepModulus the number that residues are taken by: FNV's prime of the hash's width
 * @param residues how many residues {@value #STEP_VNODES} tokens of one node fall on
 * @param mostOnOneResidue the most of them on one
 * @param tenfoldGain by what ten times the vnodes divide the deviation; √10 = 3.16 for a perfect
 *     hash
 */
public record TokenQuality(
    int nodes,
    int rings,
    double effectiveVnodes,
    double largestGap,
    double expectedGap,
    long stepModulus,
    int residues,
    int mostOnOneResidue,
    double tenfoldGain) {

  /** Vnodes a node of the rings. */
  public static final int VNODES = 100;

  private static final int LEAST_RINGS = 20;

  /** A ring of n nodes tells n − 1 independent things about the deviation. */
  private static final int DEGREES_OF_FREEDOM = 400;

  /** Tokens of one node that are looked at for steps. */
  public static final int STEP_VNODES = 1000;

  private static final int FEW = 20;
  private static final int LEAST_NAMES = 2;

  private static final long FNV_PRIME_32 = 16_777_619L;
  private static final long FNV_PRIME_64 = 1_099_511_628_211L;
  private static final double EULER = 0.5772156649;

  /** A perfect hash has a gap so far above the expected one once in 20,000 times. */
  private static final double GAP_MARGIN = 10;

  /**
   * Measures a hash.
   *
   * @param names node names, 2 or more, all different
   */
  public static TokenQuality of(HashFunction hash, List<String> names) {
    if (names.size() < LEAST_NAMES || new HashSet<>(names).size() < names.size()) {
      throw new IllegalArgumentException(
          names.size() + " names: wanted are " + LEAST_NAMES + " or more, all different");
    }
    double cv = pooledCv(hash, names, VNODES);
    int n = names.size();
    double effective = cv == 0 ? Double.POSITIVE_INFINITY : ((n - 1) / (cv * cv) - 1) / n;
    TokenMap first = ring(hash, names, VNODES, 0);
    long modulus = hash.bits() <= Integer.SIZE ? FNV_PRIME_32 : FNV_PRIME_64;
    Map<Long, Integer> residues = new HashMap<>();
    for (int i = 0; i < STEP_VNODES; i++) {
      long residue = Long.remainderUnsigned(hash.hash(label(names.get(0), i)), modulus);
      residues.merge(residue, 1, Integer::sum);
    }
    return new TokenQuality(
        n,
        rings(n),
        Math.max(0, effective),
        largestGap(first),
        Math.log(first.size()) + EULER,
        modulus,
        residues.size(),
        residues.values().stream().mapToInt(Integer::intValue).max().orElse(0),
        pooledCv(hash, names, FEW) / pooledCv(hash, names, 10 * FEW));
  }

  private static byte[] label(String name, int index) {
    return (name + '#' + index).getBytes(StandardCharsets.UTF_8);
  }

  private static TokenMap ring(HashFunction hash, List<String> names, int vnodes, int firstIndex) {
    long[] tokens = new long[names.size() * vnodes];
    int[] counts = new int[names.size()];
    int at = 0;
    for (int node = 0; node < counts.length; node++) {
      counts[node] = vnodes;
      for (int i = 0; i < vnodes; i++) {
        tokens[at++] = hash.position(label(names.get(node), firstIndex + i));
      }
    }
    return TokenMap.of(tokens, counts);
  }

  private static int rings(int nodes) {
    return Math.max(LEAST_RINGS, DEGREES_OF_FREEDOM / (nodes - 1));
  }

  /** The root of the mean square: squares of deviations add up, deviations don't. */
  private static double pooledCv(HashFunction hash, List<String> names, int vnodes) {
    double squares = 0;
    int rings = rings(names.size());
    for (int ring = 0; ring < rings; ring++) {
      Share[] shares = ring(hash, names, vnodes, ring * vnodes).shares();
      double cv = Spread.of(Arrays.stream(shares).mapToDouble(Share::fraction).toArray()).cv();
      squares += cv * cv;
    }
    return Math.sqrt(squares / rings);
  }

  private static double largestGap(TokenMap map) {
    double[] largest = new double[1];
    long[] previous = new long[1];
    long[] first = new long[1];
    int[] seen = new int[1];
    map.forEachToken(
        (token, owner) -> {
          if (seen[0]++ == 0) {
            first[0] = token;
          } else {
            largest[0] = Math.max(largest[0], positions(token - previous[0]));
          }
          previous[0] = token;
        });
    largest[0] = Math.max(largest[0], positions(first[0] - previous[0]));
    return largest[0] / (0x1p64 / map.size());
  }

  private static double positions(long units) {
    return (units >>> 1) * 2.0 + (units & 1);
  }

  /** Whether rings have at least half the vnodes that they pay for. */
  public boolean vnodesCount() {
    return effectiveVnodes >= VNODES / 2.0;
  }

  /** The largest gap that still passes. */
  public double allowedGap() {
    return expectedGap + GAP_MARGIN;
  }

  /** Whether no gap is larger than chance makes them. */
  public boolean gapsAreUsual() {
    return largestGap <= allowedGap();
  }

  /** Whether the tokens of one node don't follow each other in steps. */
  public boolean hasNoSteps() {
    return residues >= STEP_VNODES / 2;
  }

  /** Whether more vnodes help as much as they should. */
  public boolean tenfoldHelps() {
    return tenfoldGain >= 2.3;
  }

  /** Whether all four are as they should be. */
  public boolean isGood() {
    return vnodesCount() && gapsAreUsual() && hasNoSteps() && tenfoldHelps();
  }

  /** A set of names, seeded: the kind of names that people give. */
  public static List<String> madeUpNames(int count) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; names.size() < count; i++) {
      names.add(i % 2 == 0 ? "node-" + i / 2 : "10.0.0." + (i / 2 + 1) + ":6379");
    }
    return List.copyOf(names);
  }
}
