package dev.beltway.bench;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Splits a file into lines and hashes each once, and does nothing else: what no reader can beat.
 */
final class BareReader {

  private BareReader() {}

  /** Prints the number of lines and the sum of their hashes. */
  public static void main(String[] arguments) throws IOException {
    Hasher64 hasher = Hashing.xxh3_64();
    byte[] buffer = new byte[1 << 18];
    int limit = 0;
    long lines = 0;
    long sum = 0;
    try (InputStream in = Files.newInputStream(Path.of(arguments[0]))) {
      for (int count = in.read(buffer);
          count >= 0;
          count = in.read(buffer, limit, buffer.length - limit)) {
        limit += count;
        int begin = 0;
        for (int i = 0; i < limit; i++) {
          if (buffer[i] == '\n') {
            sum += hasher.hashBytesToLong(buffer, begin, i - begin);
            lines++;
            begin = i + 1;
          }
        }
        System.arraycopy(buffer, begin, buffer, 0, limit - begin);
        limit -= begin;
      }
    }
    System.out.println(lines + " lines, " + Long.toHexString(sum));
  }
}
