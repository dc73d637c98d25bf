package dev.beltway.handover;

/**
 * What a transfer must show at its source, and what it takes there: a token that was closed or
 * broken lets nothing out (rule 5).
 *
 * @param version of the state under which keys move
 * @param generation grows each time the token is mended
 * @param run the run id of the source that it was opened for
 */
public record TransferToken(long version, int generation, String run) {

  /** Checks the ranges. */
  public TransferToken {
    if (version < 0 || generation < 0) {
      throw new IllegalArgumentException("token " + version + "." + generation + " is negative");
    }
    if (!run.matches("[0-9a-zA-Z]{1,64}")) {
      throw new IllegalArgumentException("run id \"" + run + "\" is not 1 to 64 letters or digits");
    }
  }

  /** The next generation, perhaps for another run of the source. */
  public TransferToken next(String newRun) {
    return new TransferToken(version, generation + 1, newRun);
  }

  /** As it stands at the source. */
  public String text() {
    return version + "." + generation + "." + run;
  }

  /** The login of its transfers at a target. */
  public String user(String source) {
    return Names.TRANSFER_USERS + version + "-" + generation + "-" + Names.mark(source);
  }
}
