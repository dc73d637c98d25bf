package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.Finding;
import dev.beltway.balance.Finding.Severity;
import dev.beltway.balance.Lint;
import dev.beltway.topology.Topology;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code beltway lint}: a topology against the known mistakes. */
@Command(
    name = "lint",
    mixinStandardHelpOptions = true,
    description = "Check a topology against the mistakes that people are known to make.",
    footer = {
      "",
      "Exits with 3 when there are errors, with 0 when there are warnings only.",
      "",
      "Example:",
      "  beltway lint examples/eight.yaml"
    })
final class LintCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Parameters(paramLabel = "FILE", description = "The topology, YAML or JSON.")
  private Path topologyFile = Path.of("");

  LintCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    Topology topology = TopologyInput.read(topologyFile);
    List<Finding> findings = Lint.check(topology);
    if (json) {
      terminal.out().print(Json.pretty(toJson(topology, findings)));
    } else {
      print(findings);
    }
    return count(findings, Severity.ERROR) > 0 ? ExitCode.LIMIT_NOT_MET : ExitCode.DONE;
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(f -> f.severity() == severity).count();
  }

  private void print(List<Finding> findings) {
    for (Finding finding : findings) {
      String severity = finding.severity().name().toLowerCase(Locale.ROOT);
      String label =
          switch (finding.severity()) {
            case ERROR -> terminal.bad(severity);
            case WARNING -> terminal.doubtful(severity);
            case NOTE -> severity;
          };
      terminal.out().println(label + "  " + terminal.bold(finding.rule()));
      terminal.out().println("  " + finding.reason());
      terminal.out().println("  " + terminal.faint("→ " + finding.remedy()));
    }
    terminal
        .out()
        .println(
            topologyFile
                + ": "
                + Formats.plural(count(findings, Severity.ERROR), "error")
                + ", "
                + Formats.plural(count(findings, Severity.WARNING), "warning")
                + ", "
                + Formats.plural(count(findings, Severity.NOTE), "note"));
  }

  private static ObjectNode toJson(Topology topology, List<Finding> findings) {
    ObjectNode root = Json.object();
    root.put("epoch", topology.epoch());
    root.put("fingerprint", topology.fingerprint().hex());
    ArrayNode list = root.putArray("findings");
    for (Finding finding : findings) {
      list.addObject()
          .put("rule", finding.rule())
          .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
          .put("reason", finding.reason())
          .put("remedy", finding.remedy());
    }
    return root;
  }
}
