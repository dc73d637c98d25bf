package dev.beltway.lab.load;

import dev.beltway.lab.log.Printable;
import dev.beltway.lab.log.Request;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of a key, kept. Immutable; equality is by the bytes. */
public final class Key implements Comparable<Key> {

  private final byte[] bytes;

  private Key(byte[] bytes) {
    this.bytes = bytes;
  }

  static Key of(Request request) {
    int from = request.offset();
    return new Key(Arrays.copyOfRange(request.bytes(), from, from + request.length()));
  }

  /** A key by its UTF-8 bytes. */
  public static Key of(String text) {
    return new Key(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** The key for people, see {@link Printable#of}. */
  public String text() {
    return Printable.of(bytes);
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return text();
  }
}
