package dev.beltway.lab.log;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which column of a table means what. A column is named by its number, from 1, or by its name in
 * the first line.
 *
 * @param key the key
 * @param operation what is done, see {@link Operation#of}
 * @param size of the value in bytes
 * @param count for how many requests the line stands
 * @param time seconds since 1970, fractions allowed, or ISO 8601 in UTC
 * @param ttl seconds; 0 or empty for ever
 * @param header whether the first line names the columns; it always does where a name is used
 */
public record Columns(
    String key,
    Optional<String> operation,
    Optional<String> size,
    Optional<String> count,
    Optional<String> time,
    Optional<String> ttl,
    boolean header) {

  /** The largest number of a column. */
  public static final int MOST_COLUMNS = 1_000;

  /** Checks the names and numbers. */
  public Columns {
    List<String> all =
        Stream.of(Optional.of(key), operation, size, count, time, ttl)
            .flatMap(Optional::stream)
            .toList();
    all.forEach(Columns::check);
    header |= all.stream().anyMatch(column -> number(column) == 0);
  }

  /** A table of which only the key is looked at. */
  public static Columns key(String key) {
    return new Columns(
        key,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static void check(String column) {
    if (column.isEmpty()) {
      throw new IllegalArgumentException("a column is named by nothing; give its number or name");
    }
    boolean digits = column.chars().allMatch(c -> c >= '0' && c <= '9');
    if (digits && number(column) == 0) {
      throw new IllegalArgumentException("column " + column + " is outside 1 to " + MOST_COLUMNS);
    }
  }

  /** The number of a column that is given by number, else 0. */
  static int number(String column) {
    boolean digits = column.length() <= 4 && column.chars().allMatch(c -> c >= '0' && c <= '9');
    int number = digits ? Integer.parseInt(column) : 0;
    return number > MOST_COLUMNS ? 0 : number;
  }
}
