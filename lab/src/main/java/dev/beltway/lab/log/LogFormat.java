package dev.beltway.lab.log;

import java.util.Optional;
import java.util.function.Supplier;

/** How the lines of a log become requests. Immutable. */
public final class LogFormat {

  private static final Columns META =
      new Columns(
          "key",
          Optional.of("op"),
          Optional.of("size"),
          Optional.of("op_count"),
          Optional.of("op_time"),
          Optional.of("ttl"),
          true);

  private final String name;
  private final boolean sizes;
  private final boolean operations;
  private final Supplier<LineParser> parsers;

  private LogFormat(String name, boolean sizes, boolean operations, Supplier<LineParser> parsers) {
    this.name = name;
    this.sizes = sizes;
    this.operations = operations;
    this.parsers = parsers;
  }

  /** The line is the key, and any bytes are. */
  public static LogFormat lines() {
    return new LogFormat("lines", false, false, LogFormat::wholeLine);
  }

  /** The line is a JSON string whose UTF-8 bytes are the key; may be empty. */
  public static LogFormat jsonl() {
    return new LogFormat("jsonl", false, false, JsonlParser::new);
  }

  /** Columns between commas; double quotes as RFC 4180 has them, but not across lines. */
  public static LogFormat csv(Columns columns) {
    return table("csv", columns, ',', true);
  }

  /** Columns between tabs, taken as they are. */
  public static LogFormat tsv(Columns columns) {
    return table("tsv", columns, '\t', false);
  }

  private static LogFormat table(String name, Columns columns, char delimiter, boolean quotes) {
    return new LogFormat(
        name,
        columns.size().isPresent(),
        columns.operation().isPresent(),
        () -> new DelimitedParser(columns, false, delimiter, quotes));
  }

  /**
   * Twitter's cache traces (Yang, Yue, Vinayak, OSDI 2020): time, key, key size, value size,
   * client, operation, TTL; no header.
   */
  public static LogFormat twitter() {
    return new LogFormat("twitter", true, true, TwitterParser::new);
  }

  /**
   * Meta's key-value cache traces: CSV whose header says in which order the columns {@code op_time,
   * key, op, op_count, size, ttl} come; {@code op_count} says for how many requests a line stands.
   */
  public static LogFormat meta() {
    return new LogFormat("meta", true, true, () -> new DelimitedParser(META, true, ',', true));
  }

  /**
   * What {@code redis-cli monitor} prints. A command with many keys is a request for each of them;
   * calls from inside scripts don't count, since the script's own line names the keys.
   */
  public static LogFormat monitor() {
    return new LogFormat("monitor", false, true, MonitorParser::new);
  }

  /** Access logs of web servers, common or combined; the key is the path with its query. */
  public static LogFormat access() {
    return new LogFormat("access", true, true, AccessParser::new);
  }

  private static LineParser wholeLine() {
    return (bytes, from, to, request, out) -> {
      request.key(bytes, from, to);
      out.visit(request);
      return null;
    };
  }

  LineParser parser() {
    return parsers.get();
  }

  /** As the command line knows it. */
  public String name() {
    return name;
  }

  /** Whether requests have sizes; else they are all 0. */
  public boolean hasSizes() {
    return sizes;
  }

  /** Whether requests say what they do; else they all count as reads. */
  public boolean hasOperations() {
    return operations;
  }
}
