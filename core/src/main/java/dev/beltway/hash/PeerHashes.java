package dev.beltway.hash;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The hash functions of other systems, bit for bit, quirks included: libhashkit (libmemcached),
 * twemproxy, HAProxy and libstdc++. A function of the same name elsewhere may differ, so each is
 * known by its system and its name there, such as {@code twemproxy:crc32}.
 *
 * <p>They exist so that a pool can be taken over without moving a key. None is for a new ring.
 */
public final class PeerHashes {

  /** libstdc++'s {@code std::hash} of a string: MurmurHash64A with a fixed seed, 64 bits. */
  public static final HashFunction STD_HASH =
      new Named("std_hash", 64) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Murmur2.hash64(bytes, offset, length, STD_SEED);
        }
      };

  /** The low 32 bits of {@link #STD_HASH}, which is what Sogou Workflow's sources keep of it. */
  public static final HashFunction STD_HASH_32 =
      new Named("std_hash_32", 32) {
        @Override
        public long hash(byte[] bytes, int offset, int length) {
          Objects.checkFromIndexSize(offset, length, bytes.length);
          return Murmur2.hash64(bytes, offset, length, STD_SEED) & LOW;
        }
      };

  private static final long STD_SEED = 0xc70f6907L;
  private static final long LOW = 0xffffffffL;
  private static final int MURMUR_SEED = 0xdeadbeef;
  private static final int LOOKUP3_INITIAL = 13;
  private static final int FNV_BASIS_32 = 0x811c9dc5;
  private static final int FNV_PRIME_32 = 0x01000193;
  private static final long FNV_PRIME_64 = 0x100000001b3L;

  /** What a 32-bit function computes. */
  private interface Body {
    int hash(byte[] bytes, int offset, int length);
  }

  private static final Map<String, HashFunction> LIBMEMCACHED = libmemcached();
  private static final Map<String, HashFunction> TWEMPROXY = twemproxyFunctions();
  private static final Map<String, HashFunction> HAPROXY = haproxyFunctions();

  private PeerHashes() {}

  /** libmemcached's key hashes by name: {@code one_at_a_time} (its default), {@code md5} … */
  public static Map<String, HashFunction> ofLibmemcached() {
    return LIBMEMCACHED;
  }

  /** twemproxy's key hashes by name. All of them hash the empty key to 0. */
  public static Map<String, HashFunction> ofTwemproxy() {
    return TWEMPROXY;
  }

  /** HAProxy's key hashes by name, without and with {@code +avalanche}. */
  public static Map<String, HashFunction> ofHaproxy() {
    return HAPROXY;
  }

  /** All functions by their full names, such as {@code haproxy:sdbm+avalanche}. */
  public static Map<String, HashFunction> all() {
    Map<String, HashFunction> all = new LinkedHashMap<>();
    for (Map<String, HashFunction> of : List.of(LIBMEMCACHED, TWEMPROXY, HAPROXY)) {
      of.values().forEach(function -> all.put(function.name(), function));
    }
    all.put(STD_HASH.name(), STD_HASH);
    all.put(STD_HASH_32.name(), STD_HASH_32);
    return Collections.unmodifiableMap(all);
  }

  /** A function's name within its system: {@code crc32} for {@code twemproxy:crc32}. */
  public static String shortName(HashFunction function) {
    return function.name().substring(function.name().indexOf(':') + 1);
  }

  /**
   * Whether the values of the function leave most of its width empty, so that keys crowd into a
   * small arc of a ring whatever they are: libhashkit's CRC keeps 15 bits of 32.
   */
  public static boolean leavesRingEmpty(HashFunction function) {
    return function == LIBMEMCACHED.get("crc") || function == TWEMPROXY.get("crc32");
  }

  /** HAProxy's mixer of one integer, a bijection of 32 bits: points, and the avalanche option. */
  public static int haproxyMix(int value) {
    return Jenkins.fullMix(value);
  }

  private static HashFunction function(String system, String name, Body body) {
    return new Named(system + ':' + name, 32) {
      @Override
      public long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return body.hash(bytes, offset, length) & LOW;
      }
    };
  }

  private static Map<String, Body> libhashkit() {
    Map<String, Body> bodies = new LinkedHashMap<>();
    bodies.put("one_at_a_time", Jenkins::oneAtATime);
    bodies.put("md5", (b, offset, length) -> (int) HashFunctions.MD5_32_LE.hash(b, offset, length));
    bodies.put("fnv1_64", PeerHashes::fnv1With64);
    bodies.put("fnv1a_64", PeerHashes::fnv1aWith64);
    bodies.put("fnv1_32", PeerHashes::fnv1With32);
    bodies.put("fnv1a_32", PeerHashes::fnv1aWith32);
    bodies.put(
        "murmur", (b, offset, length) -> Murmur2.hash32(b, offset, length, MURMUR_SEED * length));
    bodies.put(
        "jenkins", (b, offset, length) -> Jenkins.lookup3(b, offset, length, LOOKUP3_INITIAL));
    return bodies;
  }

  private static Map<String, HashFunction> libmemcached() {
    Map<String, Body> bodies = libhashkit();
    bodies.put("crc", PeerHashes::fifteenBitsOfCrc);
    bodies.put(
        "murmur3",
        (b, offset, length) ->
            Hashing.murmur3_32(MURMUR_SEED * length).hashBytesToInt(b, offset, length));
    Map<String, HashFunction> functions = new LinkedHashMap<>();
    bodies.forEach((name, body) -> functions.put(name, function("libmemcached", name, body)));
    return Collections.unmodifiableMap(functions);
  }

  private static Map<String, HashFunction> twemproxyFunctions() {
    Map<String, Body> bodies = libhashkit();
    bodies.put("crc16", Crc16::unmasked);
    bodies.put("crc32", PeerHashes::fifteenBitsOfCrc);
    bodies.put("crc32a", PeerHashes::crc);
    bodies.put("hsieh", PeerHashes::superFast);
    Map<String, HashFunction> functions = new LinkedHashMap<>();
    bodies.forEach(
        (name, body) ->
            functions.put(
                name,
                function(
                    "twemproxy",
                    name,
                    (b, offset, length) -> length == 0 ? 0 : body.hash(b, offset, length))));
    return Collections.unmodifiableMap(functions);
  }

  private static Map<String, HashFunction> haproxyFunctions() {
    Map<String, Body> bodies = new LinkedHashMap<>();
    bodies.put("sdbm", PeerHashes::sdbm);
    bodies.put("djb2", PeerHashes::djb2);
    bodies.put("wt6", PeerHashes::wt6);
    bodies.put("crc32", PeerHashes::crc);
    Map<String, HashFunction> functions = new LinkedHashMap<>();
    bodies.forEach(
        (name, body) -> {
          functions.put(name, function("haproxy", name, body));
          String mixed = name + "+avalanche";
          Body mixing = (b, offset, length) -> haproxyMix(body.hash(b, offset, length));
          functions.put(mixed, function("haproxy", mixed, mixing));
        });
    return Collections.unmodifiableMap(functions);
  }

  private static int crc(byte[] bytes, int offset, int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  private static int fifteenBitsOfCrc(byte[] bytes, int offset, int length) {
    return crc(bytes, offset, length) >>> 16 & 0x7fff;
  }

  // The FNV functions of libhashkit XOR with C's signed char, so they equal the standard only for
  // ASCII; those that are called 64 keep 32 bits.

  private static int fnv1With64(byte[] bytes, int offset, int length) {
    long h = Fnv1a.BASIS_64;
    for (int i = offset; i < offset + length; i++) {
      h *= FNV_PRIME_64;
      h ^= bytes[i];
    }
    return (int) h;
  }

  private static int fnv1aWith64(byte[] bytes, int offset, int length) {
    int h = (int) Fnv1a.BASIS_64;
    for (int i = offset; i < offset + length; i++) {
      h = (h ^ bytes[i]) * (int) FNV_PRIME_64;
    }
    return h;
  }

  private static int fnv1With32(byte[] bytes, int offset, int length) {
    int h = FNV_BASIS_32;
    for (int i = offset; i < offset + length; i++) {
      h = h * FNV_PRIME_32 ^ bytes[i];
    }
    return h;
  }

  private static int fnv1aWith32(byte[] bytes, int offset, int length) {
    int h = FNV_BASIS_32;
    for (int i = offset; i < offset + length; i++) {
      h = (h ^ bytes[i]) * FNV_PRIME_32;
    }
    return h;
  }

  /** SuperFastHash (Hsieh), with the sign extension of twemproxy's last byte of three. */
  private static int superFast(byte[] bytes, int offset, int length) {
    int h = 0;
    int at = offset;
    for (int words = length >>> 2; words > 0; words--, at += 4) {
      h += twoBytes(bytes, at);
      h = h << 16 ^ twoBytes(bytes, at + 2) << 11 ^ h;
      h += h >>> 11;
    }
    switch (length & 3) {
      case 3 -> {
        h += twoBytes(bytes, at);
        h ^= h << 16;
        h ^= bytes[at + 2] << 18;
        h += h >>> 11;
      }
      case 2 -> {
        h += twoBytes(bytes, at);
        h ^= h << 11;
        h += h >>> 17;
      }
      case 1 -> {
        h += bytes[at] & 0xff;
        h ^= h << 10;
        h += h >>> 1;
      }
      default -> {
        // Nothing is left over.
      }
    }
    h ^= h << 3;
    h += h >>> 5;
    h ^= h << 4;
    h += h >>> 17;
    h ^= h << 25;
    return h + (h >>> 6);
  }

  private static int twoBytes(byte[] bytes, int at) {
    return bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8;
  }

  private static int sdbm(byte[] bytes, int offset, int length) {
    int h = 0;
    for (int i = offset; i < offset + length; i++) {
      h = (bytes[i] & 0xff) + h * 65_599;
    }
    return h;
  }

  private static int djb2(byte[] bytes, int offset, int length) {
    int h = 5381;
    for (int i = offset; i < offset + length; i++) {
      h = h * 33 + (bytes[i] & 0xff);
    }
    return h;
  }

  /** Two words that turn each other by amounts taken from themselves (Tarreau, 2013). */
  private static int wt6(byte[] bytes, int offset, int length) {
    int h0 = 0xa53c965a;
    int h1 = 0x5ca6953a;
    int turn0 = 6;
    int turn1 = 18;
    for (int i = offset; i < offset + length; i++) {
      int octet = bytes[i] & 0xff;
      int flipped0 = ~(h0 ^ octet);
      int flipped1 = ~(h1 + octet);
      h0 = Integer.rotateLeft(flipped1, turn0);
      h1 = Integer.rotateLeft(flipped0, turn1);
      int turns = (h0 >>> 16 ^ h1) & 0xffff;
      turn0 = turns & 0x1f;
      turn1 = turns >>> 11;
    }
    return h0 ^ h1;
  }
}
