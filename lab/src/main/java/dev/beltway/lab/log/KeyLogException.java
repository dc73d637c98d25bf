package dev.beltway.lab.log;

/** The content of a log is damaged or is not what it should be. */
public final class KeyLogException extends Exception {

  private static final long serialVersionUID = 2L;

  private final transient LogCounts counts;

  KeyLogException(String message) {
    this(message, LogCounts.NONE);
  }

  private KeyLogException(String message, LogCounts counts) {
    super(Printable.message(message)); // It may quote the log.
    this.counts = counts;
  }

  KeyLogException after(LogCounts read) {
    return new KeyLogException(String.valueOf(getMessage()), read);
  }

  /** What was read before the fault; all of it has been visited. */
  public LogCounts counts() {
    return counts;
  }
}
