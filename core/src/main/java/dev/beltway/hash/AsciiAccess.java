package dev.beltway.hash;

import com.dynatrace.hash4j.hashing.ByteAccess;

/**
 * Reads an ASCII string as its UTF-8 bytes, in place. Wrong for any other string: callers ask
 * {@link Utf8#isAscii(String)} first.
 */
final class AsciiAccess implements ByteAccess<String> {

  static final AsciiAccess INSTANCE = new AsciiAccess();

  private AsciiAccess() {}

  @Override
  public byte getByte(String ascii, long index) {
    return (byte) ascii.charAt((int) index);
  }

  @Override
  public int getInt(String ascii, long index) {
    int i = (int) index;
    return ascii.charAt(i)
        | ascii.charAt(i + 1) << 8
        | ascii.charAt(i + 2) << 16
        | ascii.charAt(i + 3) << 24;
  }

  @Override
  public long getIntAsUnsignedLong(String ascii, long index) {
    return getInt(ascii, index) & 0xffffffffL;
  }

  @Override
  public long getLong(String ascii, long index) {
    return getIntAsUnsignedLong(ascii, index)
        | getIntAsUnsignedLong(ascii, index + Integer.BYTES) << Integer.SIZE;
  }
}
