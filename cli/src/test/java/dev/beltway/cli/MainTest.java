package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "route", "plan", "lint", "lab", "lab tables", "completion"})
  void helpHasExamplesAndExitsWith0(String command) {
    String[] words = (command + " --help").strip().split(" ");
    Cli.Run run = Cli.run(words);
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Usage: beltway").contains("Example");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plann", "plan", "route", "lint", "lint a b", "--what"})
  void badUsageIsOneLineThatNamesTheHelp(String command) {
    Cli.Run run = Cli.run(command.split(" "));
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).startsWith("beltway: ").contains("--help'").hasLineCount(1);
  }

  @Test
  void noCommandShowsTheUsage() {
    Cli.Run run = Cli.run();
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.out()).contains("Usage: beltway");
  }

  @Test
  void completionKnowsTheCommands() {
    Cli.Run run = Cli.run("completion");
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("#!").contains("--max-moved").contains("tables");
  }

  @Test
  void outputThatCannotBeWrittenIsNotDone() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int octet) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    java.io.ByteArrayOutputStream err = new java.io.ByteArrayOutputStream();
    int code =
        Main.run(
            Terminal.on(java.io.InputStream.nullInputStream(), full, err),
            "route",
            "-t",
            Cli.example("eight.yaml"),
            "user:42");
    assertThat(code).isEqualTo(ExitCode.OUR_FAULT);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("beltway: standard output could not be written\n");
  }

  @Test
  void anEndlessInputEndsWhenTheReaderGoes() {
    OutputStream closing =
        new OutputStream() {
          private int left = 200_000;

          @Override
          public void write(int octet) throws IOException {
            if (--left < 0) {
              throw new IOException("Broken pipe");
            }
          }
        };
    java.io.InputStream endless =
        new java.io.InputStream() {
          private final byte[] line = "some key\n".getBytes(StandardCharsets.UTF_8);
          private int at;

          @Override
          public int read() {
            return line[at++ % line.length];
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
              bytes[offset + i] = (byte) read();
            }
            return length;
          }
        };
    java.io.ByteArrayOutputStream err = new java.io.ByteArrayOutputStream();
    int code =
        Main.run(
            Terminal.on(endless, closing, err),
            "route",
            "-t",
            Cli.example("eight.yaml"),
            "--keys",
            "-");
    assertThat(code).isEqualTo(ExitCode.OUR_FAULT);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void lintExitsWith3OnErrorsAnd0OnWarnings(@TempDir Path folder) throws Exception {
    Path bad =
        Files.writeString(
            folder.resolve("bad.yaml"),
            "version: 1\nplacement: { algorithm: ring, hash: fnv1a_32 }\nnodes:\n"
                + "- { id: a, address: \"h:1\" }\n- { id: b, address: \"h:2\" }\n");
    Cli.Run text = Cli.run("lint", bad.toString());
    assertThat(text.code()).isEqualTo(ExitCode.LIMIT_NOT_MET);
    assertThat(text.out()).contains("error  weak-hash").contains("→ Use xxh3_64");
    JsonNode json = new ObjectMapper().readTree(Cli.run("lint", "--json", bad.toString()).out());
    assertThat(json.get("findings").findValuesAsText("rule")).contains("weak-hash");
    assertThat(json.get("fingerprint").asText()).hasSize(32);

    Path warned =
        Files.writeString(
            folder.resolve("warned.yaml"),
            "version: 1\nplacement: { algorithm: modulo }\nnodes:\n- { id: a, address: \"h:1\" }\n");
    assertThat(Cli.run("lint", warned.toString()).code()).isZero();
    assertThat(Cli.run("lint", Cli.example("eight.yaml")).code()).isZero();
  }

  @Test
  void tablesSayOfEachFigureWhetherItIsMet() throws Exception {
    Cli.Run run = Cli.run("lab", "tables", "--json");
    assertThat(run.code()).isZero();
    JsonNode figures = new ObjectMapper().readTree(run.out()).get("figures");
    int met = 0;
    for (JsonNode figure : figures) {
      assertThat(figure.get("met").asText()).isIn("true", "false", "not reproducible");
      met += figure.get("met").isBoolean() && figure.get("met").asBoolean() ? 1 : 0;
    }
    assertThat(met).isEqualTo(21);
    Cli.Run text = Cli.run("lab", "tables");
    assertThat(text.out())
        .contains("not reproducible  migration 4->5 nodes")
        .contains("NOT MET           nothing is gained")
        .endsWith("29 figures: 21 met, 3 not met, 5 not reproducible\n");
  }

  @Test
  void badTopologyFilesAreOneLineForEveryCommand(@TempDir Path folder) throws Exception {
    Path binary = folder.resolve("binary.yaml");
    Files.write(binary, new byte[] {0x7f, 'E', 'L', 'F', 0, 1, 2, (byte) 0xff});
    Path empty = Files.writeString(folder.resolve("empty.yaml"), "");
    for (Path file : List.of(binary, empty, folder, folder.resolve("missing.yaml"))) {
      String name = file.toString();
      for (String[] command :
          new String[][] {
            {"route", "-t", name, "k"},
            {"lint", name},
            {"plan", "--before", name, "--after", Cli.example("ten.yaml")},
            {"plan", "--before", Cli.example("ten.yaml"), "--after", name}
          }) {
        Cli.Run run = Cli.run(command);
        assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(run.err()).startsWith("beltway: " + name).hasLineCount(1);
        assertThat(run.out()).isEmpty();
      }
    }
  }
}
