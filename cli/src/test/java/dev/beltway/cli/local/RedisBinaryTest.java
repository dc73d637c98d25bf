package dev.beltway.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server that comes along, for machines that have none. */
class RedisBinaryTest {

  @TempDir Path folder;

  @Test
  void theServerThatComesAlongRuns() throws IOException, InterruptedException {
    Path server = RedisBinary.unpack(folder);
    Process process =
        new ProcessBuilder(server.toString(), "--version").redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(said).contains("v=7.0.15");
  }
}
