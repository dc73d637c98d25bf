package dev.beltway.hash;

/** A function with a fixed name and width. */
abstract class Named implements HashFunction {

  private final String name;
  private final int bits;
  private final int unusedBits;

  Named(String name, int bits) {
    this.name = name;
    this.bits = bits;
    this.unusedBits = Long.SIZE - bits;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int bits() {
    return bits;
  }

  /** In place where that is possible: the functions here don't write to what they hash. */
  @Override
  public final long hash(String key) {
    byte[] bytes = StringBytes.ascii(key);
    return bytes != null ? hash(bytes, 0, bytes.length) : Utf8.hash(this, key);
  }

  @Override
  public final long position(String key) {
    return hash(key) << unusedBits;
  }

  @Override
  public final long position(byte[] bytes, int offset, int length) {
    return hash(bytes, offset, length) << unusedBits;
  }

  @Override
  public final String toString() {
    return name;
  }
}
