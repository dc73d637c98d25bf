package dev.beltway.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which control process is asked. */
final class ControlOption {

  static final String USUAL = "127.0.0.1:7070";

  @Option(
      names = "--control",
      paramLabel = "HOST:PORT",
      description =
          "The control process; BELTWAY_CONTROL, or 127.0.0.1:7070, by default. The API key is in"
              + " BELTWAY_API_KEY.")
  private @Nullable String address;

  ControlClient client() throws BadInputException {
    String set = System.getenv("BELTWAY_CONTROL");
    String usual = set == null || set.isEmpty() ? USUAL : set;
    return new ControlClient(address == null ? usual : address);
  }
}
