package dev.beltway.handover;

import java.nio.charset.StandardCharsets;

/** Bytes as text, one character a byte, so that keys of any bytes are values. */
public final class Latin1 {

  private Latin1() {}

  /** The bytes of a text. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Bytes as text. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
