package dev.beltway.proxy;

/** What clients sent, as error texts may repeat it. */
final class Words {

  private static final int MOST = 128;

  private Words() {}

  /** At most 128 characters. */
  static String shown(String text) {
    return text.length() > MOST ? text.substring(0, MOST) : text;
  }
}
