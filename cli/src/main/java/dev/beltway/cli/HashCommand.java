package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.Avalanche;
import dev.beltway.balance.HashQuality;
import dev.beltway.balance.KeySpread;
import dev.beltway.balance.TokenQuality;
import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.lab.log.LogCounts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beltway lab hash}: a hash on trial. */
@Command(
    name = "hash",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Judge a hash by node names and keys: does it place them as chance would?",
    footer = {
      "",
      "Without --hash all functions that a ring can use are judged, a line each. With it the exit",
      "code is 3 if the hash is guilty. Functions of other systems have their names: twemproxy:crc32.",
      "",
      "Examples:",
      "  beltway lab hash",
      "  beltway lab hash --hash fnv1a_32",
      "  beltway lab hash --hash twemproxy:crc32 --keys examples/data/wiki_edits_keys.txt"
    })
final class HashCommand implements Callable<Integer> {

  private static final int MOST_NAMES = 2_000;
  private static final int MOST_KEYS = 200_000;
  private static final int LEAST_KEYS = 100;

  private final Terminal terminal;

  @Option(
      names = "--hash",
      paramLabel = "H",
      description = "The function; all of a ring's if left out.")
  private @Nullable String hashName;

  @Option(
      names = "--names",
      paramLabel = "FILE",
      description = "Node names, one a line, 2 to 2,000; made up if left out.")
  private @Nullable String namesFile;

  @Mixin private KeyInput keyInput = new KeyInput();

  @Option(names = "--json", description = "Print JSON, with the whole avalanche matrix.")
  private boolean json;

  HashCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException, IOException {
    keyInput.format();
    HashFunction one = hashName == null ? null : HashOption.ofAny(hashName);
    List<String> names = names();
    List<byte[]> keys = keys();
    List<HashQuality> judged = new ArrayList<>();
    try (StatusLine status = new StatusLine(terminal)) {
      for (HashFunction hash : one == null ? HashFunctions.all().values() : List.of(one)) {
        status.show("judging " + hash.name());
        judged.add(HashQuality.of(hash, names, keys));
      }
    }
    if (json) {
      terminal.out().print(Json.pretty(toJson(judged)));
    } else if (one == null) {
      summary(judged, names.size(), keys.size());
    } else {
      print(judged.get(0), names);
    }
    return one != null && judged.get(0).isGuilty() ? ExitCode.LIMIT_NOT_MET : ExitCode.DONE;
  }

  private List<String> names() throws BadInputException, IOException {
    if (namesFile == null) {
      return HashQuality.madeUpNames();
    }
    KeyInput input = new KeyInput();
    input.file = namesFile;
    Set<String> names = new LinkedHashSet<>();
    input.read(
        terminal,
        (bytes, offset, length) -> {
          if (names.size() <= MOST_NAMES) {
            names.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
          }
        });
    if (names.size() < 2 || names.size() > MOST_NAMES) {
      throw new BadInputException(
          "--names: "
              + namesFile
              + " has "
              + (names.size() > MOST_NAMES ? "more than " + MOST_NAMES : names.size())
              + " different names; wanted are 2 to "
              + MOST_NAMES);
    }
    return List.copyOf(names);
  }

  /** Different keys; the same key again would only count twice. */
  private List<byte[]> keys() throws BadInputException, IOException {
    if (!keyInput.isGiven()) {
      return HashQuality.madeUpKeys();
    }
    Set<ByteBuffer> keys = new LinkedHashSet<>();
    LogCounts counts =
        keyInput.read(
            terminal,
            (bytes, offset, length) -> {
              if (keys.size() < MOST_KEYS) {
                keys.add(ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length)));
              }
            });
    if (keys.size() < LEAST_KEYS) {
      throw new BadInputException(
          String.format(
              Locale.ROOT,
              "--keys: %s has %d different keys in %d lines; wanted are %d or more",
              keyInput.file,
              keys.size(),
              counts.lines(),
              LEAST_KEYS));
    }
    if (keys.size() == MOST_KEYS) {
      terminal.warn("only the first " + MOST_KEYS + " different keys are looked at");
    }
    return keys.stream().map(ByteBuffer::array).toList();
  }

  private void summary(List<HashQuality> judged, int names, int keys) {
    terminal
        .out()
        .println(
            terminal.bold("Hash functions")
                + ", by "
                + Formats.plural(names, "name")
                + " and "
                + Formats.plural(keys, "key"));
    TextTable table = new TextTable(true);
    table.row("", "vnodes", "gap", "residues", "×10", "avalanche", "keys", "verdict");
    table.row("", "of 100", "× mean", "of 1,000", "3.16", "worst", "1", "");
    for (HashQuality quality : judged) {
      TokenQuality tokens = quality.tokens();
      table.row(
          quality.hash().name(),
          mark(tokens.vnodesCount(), "%.1f", tokens.effectiveVnodes()),
          mark(tokens.gapsAreUsual(), "%.1f", tokens.largestGap()),
          mark(tokens.hasNoSteps(), "%.0f", tokens.residues()),
          mark(tokens.tenfoldHelps(), "%.2f", tokens.tenfoldGain()),
          mark(
              quality.onLabels().isGood() && quality.onKeys().isGood(),
              "%.2f",
              Math.max(quality.onLabels().worst(), quality.onKeys().worst())),
          mark(quality.keys().isEven(), "%.2f", quality.keys().unevenness()),
          verdict(quality));
    }
    terminal.out().print(table);
  }

  private String mark(boolean good, String pattern, double figure) {
    String text = String.format(Locale.ROOT, pattern, figure);
    return good ? text : terminal.bad(text + "!");
  }

  private String verdict(HashQuality quality) {
    return quality.isGuilty() ? terminal.bad("guilty") : terminal.good("not guilty");
  }

  private void print(HashQuality quality, List<String> names) {
    TokenQuality tokens = quality.tokens();
    KeySpread keys = quality.keys();
    terminal
        .out()
        .println(terminal.bold(quality.hash().name()) + ", " + quality.hash().bits() + " bits");
    section(
        "Tokens of "
            + Formats.plural(tokens.nodes(), "node")
            + ", "
            + TokenQuality.VNODES
            + " vnodes each, "
            + tokens.rings()
            + " rings");
    TextTable table = new TextTable(true);
    row(
        table,
        tokens.vnodesCount(),
        "effective vnodes",
        say("%.1f", tokens.effectiveVnodes()),
        "of " + TokenQuality.VNODES + " that are paid for");
    row(
        table,
        tokens.gapsAreUsual(),
        "largest gap",
        say("%.1f", tokens.largestGap()),
        say(
            "× the mean; chance makes about %.1f, hardly ever %.1f",
            tokens.expectedGap(), tokens.allowedGap()));
    row(
        table,
        tokens.hasNoSteps(),
        "steps",
        Formats.count(tokens.residues()),
        say(
            "residues modulo %,d of %,d tokens of %s; up to %d on one",
            tokens.stepModulus(),
            TokenQuality.STEP_VNODES,
            names.get(0),
            tokens.mostOnOneResidue()));
    row(
        table,
        tokens.tenfoldHelps(),
        "ten times the vnodes",
        say("%.2f", tokens.tenfoldGain()),
        "times less deviation; theory says 3.16");
    terminal.out().print(table);
    avalanche("labels of vnodes", quality.onLabels());
    avalanche("keys", quality.onKeys());
    section("Keys, " + Formats.count(keys.keys()) + " different ones");
    TextTable spread = new TextTable(true);
    row(
        spread,
        keys.isEven(),
        "unevenness",
        say("%.2f", keys.unevenness()),
        "χ² over degrees of freedom in 256 arcs; chance makes 1");
    spread.row("  empty arcs", Formats.percent(keys.emptyArcs()), "of the ring without a key");
    row(
        spread,
        !keys.starves(),
        "fullest of four",
        Formats.percent(keys.fullestOfFour()),
        "of the keys on one of four equal servers");
    terminal.out().print(spread);
    terminal.out().println();
    terminal.out().println("Verdict: " + verdict(quality));
    quality.reasons().forEach(reason -> terminal.out().println("  " + reason));
    if (!quality.remedy().isEmpty()) {
      terminal.out().println("  → " + quality.remedy());
    }
  }

  private void row(TextTable table, boolean good, String name, String figure, String text) {
    table.row((good ? terminal.good("✓ ") : terminal.bad("✗ ")) + name, figure, text);
  }

  private void section(String title) {
    terminal.out().println();
    terminal.out().println(terminal.bold(title));
  }

  /** Mean flip rates of bytes by bytes: what a person can take in of 4,096 cells. */
  private void avalanche(String what, Avalanche avalanche) {
    section(
        say(
            "Avalanche over %,d %s: output bits that change with an input bit, in %%",
            avalanche.texts(), what));
    int outputs = (avalanche.outputBits() + Byte.SIZE - 1) / Byte.SIZE;
    TextTable table = new TextTable(false);
    List<String> head = new ArrayList<>(List.of("byte from the end \\ of the hash"));
    for (int output = outputs - 1; output >= 0; output--) {
      head.add(output == outputs - 1 ? "high" : output == 0 ? "low" : "");
    }
    table.row(head.toArray(new String[0]));
    for (int input = 0; input < Avalanche.INPUT_BYTES; input++) {
      List<String> cells = new ArrayList<>(List.of(input == 0 ? "last" : "−" + input));
      for (int output = outputs - 1; output >= 0; output--) {
        cells.add(say("%.0f", 100 * avalanche.meanOfBytes(input, output)));
      }
      table.row(cells.toArray(new String[0]));
    }
    terminal.out().print(table);
    TextTable summary = new TextTable(true);
    row(
        summary,
        avalanche.isGood(),
        "worst pair of bits",
        say("%.1f %%", 100 * avalanche.worst()),
        say(
            "away from 50 %%, allowed %.0f %%; %.1f %% of all pairs never or always change",
            100 * avalanche.allowed(), 100 * avalanche.deadCells()));
    terminal.out().print(summary);
  }

  private static String say(String pattern, Object... figures) {
    return String.format(Locale.ROOT, pattern, figures);
  }

  private static ObjectNode toJson(List<HashQuality> judged) {
    ObjectNode root = Json.object();
    ArrayNode list = root.putArray("hashes");
    for (HashQuality quality : judged) {
      TokenQuality tokens = quality.tokens();
      ObjectNode object = list.addObject();
      object.put("hash", quality.hash().name()).put("bits", quality.hash().bits());
      object.put("guilty", quality.isGuilty());
      ArrayNode reasons = object.putArray("reasons");
      quality.reasons().forEach(reasons::add);
      object.put("remedy", quality.remedy());
      object
          .putObject("tokens")
          .put("nodes", tokens.nodes())
          .put("rings", tokens.rings())
          .put("vnodes", TokenQuality.VNODES)
          .put("effectiveVnodes", tokens.effectiveVnodes())
          .put("largestGap", tokens.largestGap())
          .put("expectedGap", tokens.expectedGap())
          .put("stepModulus", tokens.stepModulus())
          .put("residues", tokens.residues())
          .put("mostOnOneResidue", tokens.mostOnOneResidue())
          .put("tenfoldGain", tokens.tenfoldGain());
      matrix(object.putObject("avalancheOnLabels"), quality.onLabels());
      matrix(object.putObject("avalancheOnKeys"), quality.onKeys());
      object
          .putObject("keys")
          .put("count", quality.keys().keys())
          .put("unevenness", quality.keys().unevenness())
          .put("emptyArcs", quality.keys().emptyArcs())
          .put("fullestOfFour", quality.keys().fullestOfFour());
    }
    return root;
  }

  private static void matrix(ObjectNode object, Avalanche avalanche) {
    object.put("texts", avalanche.texts()).put("mean", avalanche.mean());
    object.put("worst", avalanche.worst()).put("deadCells", avalanche.deadCells());
    ArrayNode rows = object.putArray("rates");
    for (int input = 0; input < Avalanche.INPUT_BYTES * Byte.SIZE; input++) {
      ArrayNode row = rows.addArray();
      for (int output = 0; output < avalanche.outputBits(); output++) {
        row.add(Math.round(avalanche.rate(input, output) * 1e4) / 1e4);
      }
    }
  }
}
