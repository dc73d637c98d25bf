package dev.beltway.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The bytes inside a string, where the JVM allows a look: with {@code --add-opens
 * java.base/java.lang=ALL-UNNAMED}, or to the module {@code dev.beltway.core} by name.
 *
 * <p>A compact string (JEP 254) of ASCII characters is held as the very bytes that its UTF-8
 * encoding has, so they can be hashed where they are. Without permission, or should the JDK change
 * its mind about the fields, nothing is found here and the string is encoded into a buffer instead;
 * only the time differs. docs/adr/0007-string-keys.md has the figures.
 */
final class StringBytes {

  private static final @Nullable VarHandle VALUE = field("value", byte[].class);
  private static final @Nullable VarHandle CODER = field("coder", byte.class);

  private static final byte LATIN1 = 0;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long TOP_BITS = 0x8080808080808080L;

  private StringBytes() {}

  private static @Nullable VarHandle field(String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(String.class, MethodHandles.lookup())
          .findVarHandle(String.class, name, type);
    } catch (IllegalAccessException | NoSuchFieldException e) {
      return null; // The usual case: nobody has opened the package.
    }
  }

  /** Whether strings may be looked into. */
  static boolean areVisible() {
    return VALUE != null && CODER != null;
  }

  /**
   * The string's own array, to be read only, if it holds the string's UTF-8 bytes; null if it
   * doesn't or can't be seen.
   */
  static byte @Nullable [] ascii(String text) {
    VarHandle value = VALUE;
    VarHandle coder = CODER;
    if (value == null || coder == null || (byte) coder.get(text) != LATIN1) {
      return null;
    }
    byte[] bytes = (byte[]) value.get(text);
    return isAscii(bytes) ? bytes : null;
  }

  private static boolean isAscii(byte[] bytes) {
    int length = bytes.length;
    long bits = 0;
    if (length < Long.BYTES) {
      for (byte octet : bytes) {
        bits |= octet;
      }
    } else {
      for (int i = 0; i <= length - Long.BYTES; i += Long.BYTES) {
        bits |= (long) LONGS.get(bytes, i);
      }
      bits |= (long) LONGS.get(bytes, length - Long.BYTES);
    }
    return (bits & TOP_BITS) == 0;
  }
}
