package dev.beltway.cli;

/** One line on standard error that says how far a long computation is, where progress is shown. */
final class StatusLine implements AutoCloseable {

  private static final String CLEAR = "\r\u001b[K";
  private static final int MOST_CHARS = 70;

  private final Terminal terminal;

  StatusLine(Terminal terminal) {
    this.terminal = terminal;
  }

  void show(String text) {
    if (terminal.progress()) {
      String shown = text.length() > MOST_CHARS ? text.substring(0, MOST_CHARS) + "…" : text;
      terminal.err().print(CLEAR + shown);
      terminal.err().flush();
    }
  }

  @Override
  public void close() {
    if (terminal.progress()) {
      terminal.err().print(CLEAR);
      terminal.err().flush();
    }
  }
}
