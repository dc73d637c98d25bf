package dev.beltway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.lab.tables.Figure;
import dev.beltway.lab.tables.ReferenceTables;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code beltway lab tables}: the published figures, judged. */
@Command(
    name = "tables",
    mixinStandardHelpOptions = true,
    description = "Compute the published tables about consistent hashing again and judge each.",
    footer = {
      "",
      "met: the same comes out here. NOT MET: something else does. not reproducible: the article's",
      "own code doesn't give what it prints either.",
      "",
      "Example:",
      "  beltway lab tables --json | jq '.figures[] | select(.met != true) | .figure'"
    })
final class TablesCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  TablesCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<Figure> figures = ReferenceTables.judge(progress());
    if (terminal.progress()) {
      terminal.err().print("\r\u001b[K");
    }
    if (json) {
      terminal.out().print(Json.pretty(toJson(figures)));
    } else {
      print(figures);
    }
    return ExitCode.DONE;
  }

  private Consumer<String> progress() {
    int total = ReferenceTables.count();
    int[] done = new int[1];
    return name -> {
      if (terminal.progress()) {
        String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
        terminal.err().printf("\r\u001b[K%d/%d %s", ++done[0], total, shown);
        terminal.err().flush();
      }
    };
  }

  private void print(List<Figure> figures) {
    String source = "";
    for (Figure figure : figures) {
      if (!figure.source().equals(source)) {
        boolean first = source.isEmpty();
        source = figure.source();
        terminal.out().println((first ? "" : "\n") + terminal.bold(source));
      }
      terminal.out().println("  " + verdict(figure.met()) + "  " + figure.name());
      boolean claim = source.equals("claim");
      if (!claim && figure.met() == Figure.Met.YES) {
        rows("", figure.computed());
      } else {
        if (!claim && !figure.printed().isNull()) {
          rows("printed  ", figure.printed());
        }
        if (!figure.computed().isNull()) {
          rows("computed ", figure.computed());
        }
      }
      if (!figure.note().isEmpty()) {
        terminal.out().println("      " + terminal.faint(figure.note()));
      }
    }
    long met = figures.stream().filter(f -> f.met() == Figure.Met.YES).count();
    long not = figures.stream().filter(f -> f.met() == Figure.Met.NO).count();
    terminal
        .out()
        .printf(
            "\n%d figures: %d met, %d not met, %d not reproducible\n",
            figures.size(), met, not, figures.size() - met - not);
  }

  private String verdict(Figure.Met met) {
    return switch (met) {
      case YES -> terminal.good("met             ");
      case NO -> terminal.bad("NOT MET         ");
      case NOT_REPRODUCIBLE -> terminal.doubtful("not reproducible");
    };
  }

  /** A table of tables a line a row, anything else on one line. */
  private void rows(String label, JsonNode value) {
    List<String> lines = new ArrayList<>();
    if (value.isArray() && !value.isEmpty() && value.get(0).isArray()) {
      TextTable table = new TextTable(false);
      for (JsonNode row : value) {
        List<String> cells = new ArrayList<>();
        row.forEach(cell -> cells.add(cell.asText()));
        table.row(cells.toArray(new String[0]));
      }
      table.toString().lines().forEach(lines::add);
    } else {
      lines.add("  " + plain(value));
    }
    for (String line : lines) {
      terminal.out().println("    " + label + line);
    }
  }

  private static String plain(JsonNode value) {
    if (value.isValueNode()) {
      return value.asText();
    }
    List<String> parts = new ArrayList<>();
    if (value.isArray()) {
      value.forEach(item -> parts.add(plain(item)));
      return String.join(" / ", parts);
    }
    value
        .properties()
        .forEach(
            field -> {
              String text = plain(field.getValue());
              boolean nested = field.getValue().isObject();
              parts.add(field.getKey() + " " + (nested ? "(" + text + ")" : text));
            });
    return String.join(", ", parts);
  }

  private static ObjectNode toJson(List<Figure> figures) {
    ObjectNode root = Json.object();
    ArrayNode list = root.putArray("figures");
    for (Figure figure : figures) {
      ObjectNode object = list.addObject();
      object.put("source", figure.source()).put("figure", figure.name());
      object.set("printed", figure.printed());
      object.set("computed", figure.computed());
      switch (figure.met()) {
        case YES -> object.put("met", true);
        case NO -> object.put("met", false);
        case NOT_REPRODUCIBLE -> object.put("met", "not reproducible");
      }
      object.put("note", figure.note());
    }
    return root;
  }
}
