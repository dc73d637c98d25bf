package dev.beltway.lab.tables;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Computes the published figures again and says of each whether it holds.
 *
 * <p>The figures, as printed and as the articles' own code gives them, are in {@code
 * published-figures.json}. What is computed here comes from this library's token map and hash
 * functions, fed with the articles' rules; a figure that the article's own code doesn't give is
 * shown as such.
 */
public final class ReferenceTables {

  private static final ObjectMapper JSON = new ObjectMapper();

  private ReferenceTables() {}

  /**
   * All figures, then all claims; takes some seconds.
   *
   * @param progress is told the name of each figure before it is computed
   */
  public static List<Figure> judge(Consumer<String> progress) {
    JsonNode rows = published();
    Map<String, Supplier<Object>> computations = ArticleFigures.all();
    List<Figure> figures = new ArrayList<>();
    for (JsonNode row : rows) {
      String name = row.get("figure").asText();
      progress.accept("article " + row.get("article").asText() + ": " + name);
      Supplier<Object> computation = computations.get(row.get("article").asText() + " " + name);
      if (computation == null) {
        throw new IllegalStateException("no computation for figure " + name);
      }
      figures.add(judge(row, JSON.valueToTree(computation.get())));
    }
    figures.addAll(Claims.judge(progress));
    return List.copyOf(figures);
  }

  /** How many figures {@link #judge} has. */
  public static int count() {
    return published().size() + Claims.count();
  }

  private static JsonNode published() {
    try (InputStream in = ReferenceTables.class.getResourceAsStream("published-figures.json")) {
      return JSON.readTree(in).get("rows");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Figure judge(JsonNode row, JsonNode computed) {
    JsonNode printed = row.get("printed");
    JsonNode byOwnCode = row.get("reproduced");
    String status = row.get("status").asText();
    String note = row.path("note").asText("");
    boolean asByOwnCode = same(computed, byOwnCode);
    Figure.Met met;
    if (computed.isNull()) {
      met = Figure.Met.NOT_REPRODUCIBLE;
    } else if (printed.isNull()) {
      met = asByOwnCode ? Figure.Met.YES : Figure.Met.NO;
      note = join("Nothing is printed; compared with what the article's code gives.", note);
    } else if (same(computed, printed)) {
      met = Figure.Met.YES;
      note =
          status.equals("exact") ? note : join("Met " + status.replace("exact ", "") + ".", note);
    } else if (asByOwnCode) {
      met = Figure.Met.NOT_REPRODUCIBLE;
      note = join("The article's own code gives what is computed here, not what is printed.", note);
    } else {
      met = Figure.Met.NO;
    }
    return new Figure(
        "article " + row.get("article").asText(),
        row.get("figure").asText(),
        printed,
        computed,
        met,
        note);
  }

  /** Equal as text, so that 0 and 0.0 or an int and a long of one value are the same figure. */
  private static boolean same(JsonNode a, JsonNode b) {
    return !(b instanceof NullNode) && a.toString().equals(b.toString());
  }

  private static String join(String first, String second) {
    return second.isEmpty() ? first : first + " " + second;
  }
}
