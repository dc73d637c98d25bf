package dev.beltway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clients of other languages against the same vectors as the library, each by its own test. */
@Tag("long")
@Timeout(180)
class ReferenceClientsTest {

  private static final Path ROOT = Path.of(System.getProperty("beltway.root", ".."));

  private static String run(String folder, List<String> command) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(ROOT.resolve("clients").resolve(folder).toFile())
            .redirectErrorStream(true);
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(out).isZero();
    return out;
  }

  @Test
  @Tag("needs-node")
  void javaScript() throws Exception {
    assertThat(run("javascript", List.of("node", "test.js")))
        .matches("(?s).*\\d{4} figures looked at, 0 differences\\s*");
  }

  @Test
  @Tag("needs-python")
  void python() throws Exception {
    assertThat(run("python", List.of("python3", "test.py")))
        .matches("(?s).*\\d{4} figures looked at, 0 differences\\s*");
  }

  @Test
  @Tag("needs-go")
  void go() throws Exception {
    assertThat(run("go", List.of("go", "test", "-count=1", "-v", ".")))
        .containsPattern("\\d{4} figures looked at")
        .contains("PASS");
  }
}
