package dev.beltway.hash;

import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hasher32;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32;

/**
 * The hash functions that a topology can name.
 *
 * <p>{@link #XXH3_64} is the default: as well mixed as any here and the quickest. {@link
 * #isWeak(HashFunction)} names those that must not place the tokens of a new ring.
 */
public final class HashFunctions {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** XXH3, 64 bits, seed 0, default secret. The default of Beltway. */
  public static final HashFunction XXH3_64 = hash4j("xxh3_64", Hashing.xxh3_64());

  /** XXH64, seed 0. */
  public static final HashFunction XXH64 = hash4j("xxh64", Hashing.xxh64());

  /** MurmurHash3 x86, 32 bits, seed 0. */
  public static final HashFunction MURMUR3_32 = murmur32();

  /** MurmurHash3 x64, 128 bits, seed 0: its first 64-bit word. */
  public static final HashFunction MURMUR3_128 = murmur128();

  /** FNV-1a, 32 bits, standard basis, no finalizer. Weak on a ring. */
  public static final HashFunction FNV1A_32 =
      new Named("fnv1a_32", 32) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Fnv1a.hash32(bytes, offset, length) & 0xffffffffL;
        }
      };

  /** FNV-1a 32 followed by MurmurHash3's 32-bit finalizer. */
  public static final HashFunction FNV1A_32_FMIX32 =
      new Named("fnv1a_32_fmix32", 32) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Finalizers.fmix32(Fnv1a.hash32(bytes, offset, length)) & 0xffffffffL;
        }
      };

  /** FNV-1a, 64 bits, standard basis, no finalizer. Weak on a ring. */
  public static final HashFunction FNV1A_64 =
      new Named("fnv1a_64", 64) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Fnv1a.hash64(Fnv1a.BASIS_64, bytes, offset, length);
        }
      };

  /** FNV-1a 64 followed by SplitMix64's output function. */
  public static final HashFunction FNV1A_64_SPLITMIX64 =
      new Named("fnv1a_64_splitmix64", 64) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Finalizers.splitmix64(Fnv1a.hash64(Fnv1a.BASIS_64, bytes, offset, length));
        }
      };

  /** CRC-16/XMODEM, 16 bits: what Redis Cluster computes. For slots, not for rings. */
  public static final HashFunction CRC16 =
      new Named("crc16", 16) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Crc16.hash(bytes, offset, length);
        }
      };

  /** CRC-32 (IEEE 802.3, as zlib has it), 32 bits. For {@code hash % N}, not for rings. */
  public static final HashFunction CRC32 =
      new Named("crc32", 32) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          CRC32 crc = new CRC32();
          crc.update(bytes, offset, length);
          return crc.getValue();
        }
      };

  /** MD5: the first 8 digest bytes, big-endian; the top half of the 128-bit number. */
  public static final HashFunction MD5 = digest("md5", "MD5", 64, HashFunctions::eightBytes);

  /** MD5: the first 4 digest bytes, big-endian. */
  public static final HashFunction MD5_32_BE =
      digest("md5_32be", "MD5", 32, HashFunctions::fourBytes);

  /** MD5: the first 4 digest bytes, little-endian, as ketama takes them. */
  public static final HashFunction MD5_32_LE =
      digest("md5_32le", "MD5", 32, HashFunctions::fourBytesTurned);

  /** SHA-256: the first 8 digest bytes, big-endian. */
  public static final HashFunction SHA256 =
      digest("sha256", "SHA-256", 64, HashFunctions::eightBytes);

  private static final Map<String, HashFunction> BY_NAME =
      byName(
          List.of(
              XXH3_64,
              XXH64,
              MURMUR3_128,
              MURMUR3_32,
              FNV1A_64_SPLITMIX64,
              FNV1A_32_FMIX32,
              FNV1A_64,
              FNV1A_32,
              MD5,
              MD5_32_BE,
              MD5_32_LE,
              SHA256,
              CRC32,
              CRC16));

  private HashFunctions() {}

  /**
   * The function of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names
   */
  public static HashFunction named(String name) {
    HashFunction function = BY_NAME.get(name);
    if (function == null) {
      throw new IllegalArgumentException(
          "hash '" + name + "' is unknown; known are " + String.join(", ", BY_NAME.keySet()));
    }
    return function;
  }

  /** All functions by name, the preferred ones first. */
  public static Map<String, HashFunction> all() {
    return BY_NAME;
  }

  /**
   * Whether the function spreads the tokens of a ring badly: too few bits (CRC16), a linear code
   * (CRC-32) or no final mixing (plain FNV-1a). A weak function may still serve {@code hash % N} or
   * slots.
   */
  public static boolean isWeak(HashFunction function) {
    return function == FNV1A_32
        || function == FNV1A_64
        || function == CRC16
        || function == CRC32
        || function.bits() < 32;
  }

  private static Map<String, HashFunction> byName(List<HashFunction> functions) {
    Map<String, HashFunction> map = new LinkedHashMap<>();
    functions.forEach(function -> map.put(function.name(), function));
    return Collections.unmodifiableMap(map);
  }

  private static HashFunction hash4j(String name, Hasher64 hasher) {
    return new Named(name, 64) {
      @Override
      public long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return hasher.hashBytesToLong(bytes, offset, length);
      }
    };
  }

  private static HashFunction murmur32() {
    Hasher32 hasher = Hashing.murmur3_32();
    return new Named("murmur3_32", 32) {
      @Override
      public long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return hasher.hashBytesToInt(bytes, offset, length) & 0xffffffffL;
      }
    };
  }

  private static HashFunction murmur128() {
    Hasher128 hasher = Hashing.murmur3_128();
    return new Named("murmur3_128", 64) {
      @Override
      public long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return hasher.hashBytesToLong(bytes, offset, length);
      }
    };
  }

  /** A digest and room for its result, one of each for a thread. */
  private static final class Digest {

    private final MessageDigest digest;
    private final byte[] result;

    Digest(String algorithm) {
      this.digest = messageDigest(algorithm);
      this.result = new byte[digest.getDigestLength()];
    }

    byte[] of(byte[] bytes, int offset, int length) {
      digest.update(bytes, offset, length);
      try {
        digest.digest(result, 0, result.length);
      } catch (DigestException e) {
        throw new IllegalStateException("a digest that is longer than it says", e);
      }
      return result;
    }
  }

  private static HashFunction digest(
      String name, String algorithm, int bits, ToLongFunction<byte[]> part) {
    ThreadLocal<Digest> digests = ThreadLocal.withInitial(() -> new Digest(algorithm));
    return new Named(name, bits) {
      @Override
      public long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return part.applyAsLong(digests.get().of(bytes, offset, length));
      }
    };
  }

  private static long eightBytes(byte[] digest) {
    return (long) LONGS.get(digest, 0);
  }

  private static long fourBytes(byte[] digest) {
    return (int) INTS.get(digest, 0) & 0xffffffffL;
  }

  private static long fourBytesTurned(byte[] digest) {
    return Integer.reverseBytes((int) INTS.get(digest, 0)) & 0xffffffffL;
  }

  private static MessageDigest messageDigest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks " + algorithm, e);
    }
  }
}
