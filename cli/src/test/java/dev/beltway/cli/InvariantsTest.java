package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that docs/invariants.md names are there. */
class InvariantsTest {

  @Test
  void everyNamedTestExists() throws Exception {
    String document = Files.readString(Cli.ROOT.resolve("docs/invariants.md"));
    Matcher name = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?\\*?`").matcher(document);
    int found = 0;
    while (name.find()) {
      String source = Files.readString(file(name.group(1) + ".java"));
      String method = name.group(2);
      assertThat(method == null || source.matches("(?s).*(void|ArchRule)\\s+" + method + ".*"))
          .as(name.group())
          .isTrue();
      found++;
    }
    assertThat(found).isGreaterThan(10);
  }

  private static Path file(String name) throws Exception {
    try (Stream<Path> files = Files.walk(Cli.ROOT)) {
      List<Path> found =
          files.filter(f -> f.endsWith(name) && !f.toString().contains("target")).toList();
      assertThat(found).as(name).hasSize(1);
      return found.get(0);
    }
  }
}
