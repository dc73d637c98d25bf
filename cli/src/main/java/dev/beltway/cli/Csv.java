package dev.beltway.cli;

import java.util.StringJoiner;

/** Lines of CSV as RFC 4180 has them, but ended by LF. */
final class Csv {

  private Csv() {}

  static String row(Object... cells) {
    StringJoiner row = new StringJoiner(",", "", "\n");
    for (Object cell : cells) {
      String text = cell.toString();
      boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
      row.add(plain ? text : '"' + text.replace("\"", "\"\"") + '"');
    }
    return row.toString();
  }
}
