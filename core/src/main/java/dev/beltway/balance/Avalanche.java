package dev.beltway.balance;

import dev.beltway.hash.HashFunction;
import java.util.List;

/**
 * How often each output bit changes when one input bit does. A hash that mixes changes every output
 * bit half of the time, whichever input bit was turned. Input bits are those of a text's last eight
 * bytes, where names with a number differ.
 *
 * <p>Immutable.
 */
public final class Avalanche {

  /** Bytes from the end of each text whose bits are turned. */
  public static final int INPUT_BYTES = 8;

  /** How far from one half a cell may be where many texts were looked at. */
  private static final double ALLOWED = 0.15;

  /** And never less than so many standard deviations: chance brings no cell of thousands so far. */
  private static final double DEVIATIONS = 6.5;

  private static final int LEAST_TEXTS = 100;
  private static final int MOST_TEXTS = 4000;

  private final double[][] rates;
  private final long[] tries;
  private final int texts;

  private Avalanche(double[][] rates, long[] tries, int texts) {
    this.rates = rates;
    this.tries = tries;
    this.texts = texts;
  }

  /**
   * Measures a hash over texts, the first {@value #MOST_TEXTS} of them.
   *
   * @param texts {@value #LEAST_TEXTS} or more
   */
  public static Avalanche of(HashFunction hash, List<byte[]> texts) {
    if (texts.size() < LEAST_TEXTS) {
      throw new IllegalArgumentException(
          texts.size() + " texts are fewer than " + LEAST_TEXTS + ", too few to judge bits by");
    }
    int outputs = hash.bits();
    int inputs = INPUT_BYTES * Byte.SIZE;
    long[][] flips = new long[inputs][outputs];
    long[] tries = new long[inputs];
    List<byte[]> first = texts.subList(0, Math.min(MOST_TEXTS, texts.size()));
    for (byte[] text : first) {
      long whole = hash.hash(text);
      byte[] turned = text.clone();
      for (int input = 0; input < inputs; input++) {
        int at = text.length - 1 - input / Byte.SIZE;
        if (at >= 0) {
          turned[at] ^= (byte) (1 << input % Byte.SIZE);
          long changed = whole ^ hash.hash(turned);
          turned[at] = text[at];
          tries[input]++;
          for (int output = 0; output < outputs; output++) {
            flips[input][output] += changed >>> output & 1;
          }
        }
      }
    }
    double[][] rates = new double[inputs][outputs];
    for (int input = 0; input < inputs; input++) {
      for (int output = 0; output < outputs; output++) {
        // Bits that hardly any text has tell nothing and count as perfect.
        rates[input][output] =
            tries[input] < LEAST_TEXTS ? 0.5 : flips[input][output] / (double) tries[input];
      }
    }
    return new Avalanche(rates, tries, first.size());
  }

  /** How many texts were looked at. */
  public int texts() {
    return texts;
  }

  /** Output bits. */
  public int outputBits() {
    return rates[0].length;
  }

  /**
   * How often an output bit changes with an input bit, 0 to 1.
   *
   * @param input 0 to 63, from the lowest bit of the last byte on
   * @param output 0 to {@link #outputBits()} − 1, from the lowest on
   */
  public double rate(int input, int output) {
    return rates[input][output];
  }

  /** The mean over a byte of input, counted from the end, and a byte of output, from the lowest. */
  public double meanOfBytes(int inputByte, int outputByte) {
    double sum = 0;
    int cells = 0;
    for (int input = inputByte * Byte.SIZE; input < (inputByte + 1) * Byte.SIZE; input++) {
      int last = Math.min((outputByte + 1) * Byte.SIZE, outputBits());
      for (int output = outputByte * Byte.SIZE; output < last; output++) {
        sum += rates[input][output];
        cells++;
      }
    }
    return sum / cells;
  }

  /** The mean of all cells. */
  public double mean() {
    double sum = 0;
    for (double[] row : rates) {
      for (double rate : row) {
        sum += rate;
      }
    }
    return sum / (rates.length * outputBits());
  }

  /** How far a bit of input may be from one half, given how many texts have it. */
  private double allowed(int input) {
    return Math.max(ALLOWED, DEVIATIONS * 0.5 / Math.sqrt((double) Math.max(1, tries[input])));
  }

  /** The input bit of the cell that is furthest from one half, by what it may be. */
  private int worstInput() {
    int worst = 0;
    double most = -1;
    for (int input = 0; input < rates.length; input++) {
      double excess = furthest(input) / allowed(input);
      if (excess > most) {
        most = excess;
        worst = input;
      }
    }
    return worst;
  }

  private double furthest(int input) {
    double furthest = 0;
    for (double rate : rates[input]) {
      furthest = Math.max(furthest, Math.abs(rate - 0.5));
    }
    return furthest;
  }

  /** The distance from one half of the worst cell: the one that is furthest by what it may be. */
  public double worst() {
    return furthest(worstInput());
  }

  /** What that distance may be: 0.15, or more where few texts have the bit. */
  public double allowed() {
    return allowed(worstInput());
  }

  /** The part of all cells in which the output bit never or always changes. */
  public double deadCells() {
    int dead = 0;
    for (double[] row : rates) {
      for (double rate : row) {
        dead += rate == 0 || rate == 1 ? 1 : 0;
      }
    }
    return dead / (double) (rates.length * outputBits());
  }

  /** Whether every cell is as near to one half as it must be. */
  public boolean isGood() {
    return worst() <= allowed();
  }
}
