package dev.beltway.control.api;

/**
 * Why something is not done, and what would make it acceptable; RFC 9457.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>
 */
public final class Problem extends Exception {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String title;
  private final String remedy;

  /**
   * A refusal.
   *
   * @param status of HTTP
   * @param title in a few words
   * @param detail the reason, with the value and what is allowed
   * @param remedy what would make it acceptable
   */
  public Problem(int status, String title, String detail, String remedy) {
    super(detail);
    this.status = status;
    this.title = title;
    this.remedy = remedy;
  }

  /** The request itself is wrong. */
  static Problem bad(String detail, String remedy) {
    return new Problem(400, "The request is wrong", detail, remedy);
  }

  /** It can't be done as things are now. */
  static Problem conflict(String detail, String remedy) {
    return new Problem(409, "This can't be done now", detail, remedy);
  }

  /** There is no such thing. */
  static Problem missing(String detail, String remedy) {
    return new Problem(404, "There is no such thing", detail, remedy);
  }

  int status() {
    return status;
  }

  String title() {
    return title;
  }

  String remedy() {
    return remedy;
  }
}
