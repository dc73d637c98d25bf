package dev.beltway.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Writes logs of made-up keys, one a line: {@code user} and the number of the key, spread over the
 * numbers so that the hottest keys are no neighbours.
 *
 * <p>Zipf's law is drawn by rejection-inversion (Hörmann and Derflinger, 1996): no table, so that
 * ten million keys take no memory.
 */
final class ZipfLog {

  private static final long SPREAD = 7_368_787;

  private final double exponent;
  private final double keys;
  private final double top;
  private final double bottom;
  private final double shortcut;

  ZipfLog(double exponent, int keys) {
    this.exponent = exponent;
    this.keys = keys;
    this.top = integral(1.5) - 1;
    this.bottom = integral(keys + 0.5);
    this.shortcut = 2 - inverse(integral(2.5) - Math.pow(2, -exponent));
  }

  /** A rank, 1 for the most frequent. */
  long draw(SplittableRandom random) {
    while (true) {
      double u = bottom + random.nextDouble() * (top - bottom);
      double x = inverse(u);
      double rank = Math.min(keys, Math.max(1, Math.floor(x + 0.5)));
      if (rank - x <= shortcut || u >= integral(rank + 0.5) - Math.pow(rank, -exponent)) {
        return (long) rank;
      }
    }
  }

  private double integral(double x) {
    return (Math.pow(x, 1 - exponent) - 1) / (1 - exponent);
  }

  private double inverse(double y) {
    return Math.pow(1 + y * (1 - exponent), 1 / (1 - exponent));
  }

  /** Writes {@code lines} requests by Zipf's law. */
  static void write(Path file, long lines, double exponent, int keys) throws IOException {
    ZipfLog zipf = new ZipfLog(exponent, keys);
    SplittableRandom random = new SplittableRandom(1);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      for (long i = 0; i < lines; i++) {
        line(out, zipf.draw(random) * SPREAD % keys);
      }
    }
  }

  /** Writes each of {@code lines} keys once. */
  static void writeDifferent(Path file, long lines) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      for (long i = 0; i < lines; i++) {
        line(out, i * SPREAD % lines);
      }
    }
  }

  private static void line(OutputStream out, long key) throws IOException {
    out.write(("user" + key + "\n").getBytes(StandardCharsets.US_ASCII));
  }
}
