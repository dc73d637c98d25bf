package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.config.TopologyFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What the documents show is what the program does. In a block marked {@code console} each line
 * that begins with {@code $ ./beltway} is run, and what follows must be its output; a line {@code
 * ...} stands for any lines. A comment {@code # exits with N} behind a command is held to.
 */
class DocumentsTest {

  private static final String BEGIN = "// README begin\n";

  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

  private record Example(String file, String command, List<String> output) {}

  private static List<Path> documents() throws Exception {
    List<Path> documents = new ArrayList<>();
    try (Stream<Path> top = Files.list(Cli.ROOT);
        Stream<Path> docs = Files.walk(Cli.ROOT.resolve("docs"))) {
      Stream.concat(top, docs).filter(p -> p.toString().endsWith(".md")).forEach(documents::add);
    }
    return documents;
  }

  private static List<String> blocks(String text, String language) {
    List<String> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      if (matcher.group(1).equals(language)) {
        blocks.add(matcher.group(2));
      }
    }
    return blocks;
  }

  private static List<Example> examples() throws Exception {
    List<Example> examples = new ArrayList<>();
    for (Path document : documents()) {
      for (String block : blocks(Files.readString(document), "console")) {
        for (String line : block.split("\n")) {
          if (line.startsWith("$ ")) {
            examples.add(
                new Example(
                    document.getFileName().toString(), line.substring(2), new ArrayList<>()));
          } else {
            examples.get(examples.size() - 1).output.add(line);
          }
        }
      }
    }
    return examples;
  }

  @TestFactory
  Stream<DynamicTest> commandsInDocumentsDoWhatIsShown() throws Exception {
    List<Example> examples =
        examples().stream().filter(e -> e.command.startsWith("./beltway ")).toList();
    assertThat(examples).hasSizeGreaterThanOrEqualTo(10);
    return examples.stream()
        .map(e -> DynamicTest.dynamicTest(e.file + ": " + e.command, () -> check(e)));
  }

  private static void check(Example example) {
    String[] parts = example.command.split("\\s+# exits with ");
    List<String> words = new ArrayList<>();
    Matcher word = Pattern.compile("'([^']*)'|(\\S+)").matcher(parts[0]);
    while (word.find()) {
      String text = word.group(1) == null ? word.group(2) : word.group(1);
      boolean file = text.startsWith("examples/");
      words.add(file ? Cli.ROOT.resolve(text).toString() : text);
    }
    Cli.Run run = Cli.run(words.subList(1, words.size()).toArray(new String[0]));
    assertThat(run.code())
        .as(run.err())
        .isEqualTo(parts.length > 1 ? Integer.parseInt(parts[1].strip()) : 0);
    String out = (run.out() + run.err()).replace(Cli.ROOT + "/", "");
    assertThat(matches(example.output, out.lines().toList(), 0, 0))
        .as("shown:\n%s\nprinted:\n%s", String.join("\n", example.output), out)
        .isTrue();
  }

  private static boolean matches(List<String> shown, List<String> printed, int i, int j) {
    if (i == shown.size()) {
      return j == printed.size();
    }
    if (shown.get(i).strip().equals("...")) {
      for (int next = j; next <= printed.size(); next++) {
        if (matches(shown, printed, i + 1, next)) {
          return true;
        }
      }
      return false;
    }
    return j < printed.size()
        && shown.get(i).equals(printed.get(j))
        && matches(shown, printed, i + 1, j + 1);
  }

  @Test
  void theLibraryExampleIsTheOneThatIsTested() throws Exception {
    String test =
        Files.readString(Cli.ROOT.resolve("core/src/test/java/dev/beltway/ReadmeExampleTest.java"));
    List<String> tested = new ArrayList<>();
    for (int at = test.indexOf(BEGIN); at >= 0; at = test.indexOf(BEGIN, at + 1)) {
      tested.add(
          test.substring(at + BEGIN.length(), test.indexOf("    // README end", at)).indent(-4));
    }
    for (String readme : List.of("README.md", "README.zh-CN.md")) {
      List<String> java = blocks(Files.readString(Cli.ROOT.resolve(readme)), "java");
      assertThat(java).as(readme).isEqualTo(tested);
    }
  }

  @Test
  void bothReadmesShowTheSameCommands() throws Exception {
    List<Example> examples = examples();
    List<String> english = commands(examples, "README.md");
    assertThat(english).isNotEmpty().isEqualTo(commands(examples, "README.zh-CN.md"));
  }

  private static List<String> commands(List<Example> examples, String file) {
    return examples.stream().filter(e -> e.file.equals(file)).map(Example::command).toList();
  }

  @Test
  void topologiesInDocumentsAndExamplesAreSound() throws Exception {
    int read = 0;
    for (Path document : documents()) {
      for (String block : blocks(Files.readString(document), "yaml")) {
        if (block.startsWith("version:")) {
          TopologyFiles.parse(document.toString(), block.getBytes(StandardCharsets.UTF_8));
          read++;
        }
      }
    }
    assertThat(read).isPositive();
    try (Stream<Path> files = Files.list(Cli.ROOT.resolve("examples"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).toList()) {
        TopologyFiles.read(file);
      }
    }
  }

  @Test
  void everyRuleOfLintIsDocumented() throws Exception {
    String commands = Files.readString(Cli.ROOT.resolve("docs/commands.md"));
    String lint =
        Files.readString(Cli.ROOT.resolve("core/src/main/java/dev/beltway/balance/Lint.java"));
    Matcher rule = Pattern.compile("\"([a-z]+(?:-[a-z]+)+)\"").matcher(lint);
    int found = 0;
    while (rule.find()) {
      assertThat(commands).contains("`" + rule.group(1) + "`");
      found++;
    }
    assertThat(found).isGreaterThanOrEqualTo(15);
  }

  @Test
  void linksInDocumentsLeadSomewhere() throws Exception {
    Pattern link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    for (Path document : documents()) {
      Matcher matcher = link.matcher(Files.readString(document));
      while (matcher.find()) {
        assertThat(document.resolveSibling(matcher.group(1)))
            .as("linked from %s", document)
            .exists();
      }
    }
  }
}
