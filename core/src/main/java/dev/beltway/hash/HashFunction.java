package dev.beltway.hash;

/**
 * A hash function over bytes whose result is a position on the ring.
 *
 * <p>A function yields {@link #bits()} bits. {@link #hash(byte[], int, int) hash} returns them as
 * the low bits of a {@code long}, which is the number that {@code hash % N} means; {@link
 * #position(byte[], int, int) position} returns the same bits left-aligned in an unsigned 64-bit
 * number, so that 16-, 32- and 64-bit functions share one ring.
 *
 * <p>Strings stand for their UTF-8 bytes; an unpaired surrogate counts as {@code ?}, as {@link
 * String#getBytes(java.nio.charset.Charset)} has it. Implementations are immutable and safe for use
 * by many threads. {@code String.hashCode()} is never used: it isn't specified across languages and
 * mixes badly.
 *
 * @see HashFunctions the functions that topology files can name
 */
public interface HashFunction {

  /** The name that a topology file uses, such as {@code xxh3_64}. */
  String name();

  /** How many bits the function yields, 1 to 64. */
  int bits();

  /**
   * The hash of {@code length} bytes from {@code offset}, in the low {@link #bits()} bits; all
   * higher bits are zero.
   *
   * @throws IndexOutOfBoundsException if the range is outside the array
   */
  long hash(byte[] bytes, int offset, int length);

  /** The hash of a whole array; see {@link #hash(byte[], int, int)}. */
  default long hash(byte[] bytes) {
    return hash(bytes, 0, bytes.length);
  }

  /**
   * The hash of the string's UTF-8 bytes. Allocates nothing for strings of up to 682 characters
   * (2,048 bytes of UTF-8, whatever they contain), but for a buffer that each thread keeps.
   */
  default long hash(String key) {
    return Utf8.hash(this, key);
  }

  /** The hash, left-aligned: a position on the ring, unsigned. */
  default long position(byte[] bytes, int offset, int length) {
    return hash(bytes, offset, length) << (64 - bits());
  }

  /** The position of a whole array; see {@link #position(byte[], int, int)}. */
  default long position(byte[] bytes) {
    return position(bytes, 0, bytes.length);
  }

  /** The position of the string's UTF-8 bytes; see {@link #hash(String)}. */
  default long position(String key) {
    return hash(key) << (64 - bits());
  }
}
