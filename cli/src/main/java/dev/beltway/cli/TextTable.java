package dev.beltway.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of cells in aligned columns: the first column to the left, all others to the right. */
final class TextTable {

  private static final String INDENT = "  ";
  private static final String GAP = "  ";

  private final List<String[]> rows = new ArrayList<>();
  private final boolean lastIsText;

  /**
   * A table without rows so far.
   *
   * @param lastIsText whether the last column stands to the left, as text does
   */
  TextTable(boolean lastIsText) {
    this.lastIsText = lastIsText;
  }

  TextTable row(String... cells) {
    rows.add(cells);
    return this;
  }

  /** The table, each row with an indent and a line end. */
  @Override
  public String toString() {
    int columns = rows.stream().mapToInt(row -> row.length).max().orElse(0);
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], width(row[i]));
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder(INDENT);
      for (int i = 0; i < row.length; i++) {
        if (widths[i] == 0) {
          continue; // Nothing in the whole column.
        }
        String padding = " ".repeat(widths[i] - width(row[i]));
        boolean left = i == 0 || lastIsText && i == columns - 1;
        line.append(i == 0 ? "" : GAP);
        line.append(left ? row[i] + padding : padding + row[i]);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** Columns that the text takes: wide characters take two, colour codes none. */
  private static int width(String text) {
    String plain = text.replaceAll("\u001b\\[[0-9;]*m", "");
    return plain.codePoints().map(TextTable::width).sum();
  }

  private static int width(int codePoint) {
    Character.UnicodeScript script = Character.UnicodeScript.of(codePoint);
    boolean wide =
        script == Character.UnicodeScript.HAN
            || script == Character.UnicodeScript.HIRAGANA
            || script == Character.UnicodeScript.KATAKANA
            || script == Character.UnicodeScript.HANGUL
            || codePoint >= 0x1f300 && codePoint <= 0x1faff;
    return wide ? 2 : 1;
  }
}
