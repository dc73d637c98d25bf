package dev.beltway.lab.tables;

import dev.beltway.hash.Finalizers;
import dev.beltway.hash.Fnv1a;
import dev.beltway.hash.HashFunction;
import java.nio.charset.StandardCharsets;

/** Hash functions as the articles wrote them, where that differs from the standard. */
public final class ArticleHashes {

  /** The basis as article 000 prints it: the standard one without its last digit, a 7. */
  public static final long MISPRINTED_BASIS = 1469598103934665603L;

  /** Article 000: FNV-1a 64 from the misprinted basis, then SplitMix64's output function. */
  public static final HashFunction MISPRINTED_FINALIZED =
      new Bytes64("fnv1a_64_misprinted_splitmix64") {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          return Finalizers.splitmix64(Fnv1a.hash64(MISPRINTED_BASIS, bytes, offset, length));
        }
      };

  /** Article 000 without its finalizer. */
  public static final HashFunction MISPRINTED_PLAIN =
      new Bytes64("fnv1a_64_misprinted") {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          return Fnv1a.hash64(MISPRINTED_BASIS, bytes, offset, length);
        }
      };

  /** Article 003: FNV-1a 32 over UTF-16 code units, then fmix32. */
  public static final HashFunction UTF16_FINALIZED = new Utf16("fnv1a_32_utf16_fmix32", true);

  /** Article 003 without its finalizer. */
  public static final HashFunction UTF16_PLAIN = new Utf16("fnv1a_32_utf16", false);

  private ArticleHashes() {}

  private abstract static class Bytes64 implements HashFunction {

    private final String name;

    Bytes64(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int bits() {
      return Long.SIZE;
    }
  }

  private static final class Utf16 implements HashFunction {

    private final String name;
    private final boolean finalized;

    Utf16(String name, boolean finalized) {
      this.name = name;
      this.finalized = finalized;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int bits() {
      return Integer.SIZE;
    }

    @Override
    public long hash(byte[] bytes, int offset, int length) {
      return hash(new String(bytes, offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public long hash(String key) {
      int hash = Fnv1a.BASIS_32;
      for (int i = 0; i < key.length(); i++) {
        hash = Fnv1a.step32(hash, key.charAt(i));
      }
      return (finalized ? Finalizers.fmix32(hash) : hash) & 0xffffffffL;
    }
  }
}
