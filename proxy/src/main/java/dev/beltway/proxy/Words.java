package dev.beltway.proxy;

import dev.beltway.resp.command.FrameArguments;
import java.nio.charset.StandardCharsets;

/** What clients sent, as error texts may repeat it. */
final class Words {

  private static final int MOST = 128;

  private Words() {}

  /** At most 128 bytes, each as a character, and nothing behind a NUL: as a server prints it. */
  static String shown(FrameArguments request, int argument) {
    byte[] bytes = request.bytes(argument, MOST);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = text.indexOf('\0');
    return end < 0 ? text : text.substring(0, end);
  }
}
