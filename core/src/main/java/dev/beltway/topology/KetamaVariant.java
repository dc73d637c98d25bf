package dev.beltway.topology;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.PeerHashes;
import java.util.Map;
import java.util.Optional;

/**
 * Whose ketama. All of them hash {@code name-index} to 32-bit points on a ring, and agree on little
 * else: names, counts, hashes and what happens to equal points differ.
 */
public enum KetamaVariant {
  /**
   * libmemcached's {@code MEMCACHED_BEHAVIOR_KETAMA} without weights: 100 points a server, each the
   * key hash of its name.
   */
  LIBMEMCACHED("libmemcached", "one_at_a_time", false),
  /**
   * libmemcached's {@code MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED}, and its plain ketama as soon as a
   * weight above 1 was added: four points to each MD5 digest.
   */
  LIBMEMCACHED_WEIGHTED("libmemcached-weighted", "md5", true),
  /**
   * libmemcached's {@code DISTRIBUTION_CONSISTENT_KETAMA_SPY}, weighted: names as early
   * spymemcached clients made them, with a slash before the host.
   */
  SPYMEMCACHED("spymemcached", "md5", true),
  /**
   * The Java client spymemcached 2.12 with its own key format: no slash, the port always present,
   * of equal points the later server's; 160 points each where all weights are 1.
   */
  SPYMEMCACHED_JAVA("spymemcached-java", "md5", true),
  /** twemproxy 0.5: a server's name if it has one. */
  TWEMPROXY("twemproxy", "fnv1a_64", true);

  private static final String DEFAULT_PORT = ":11211";

  private final String text;
  private final String defaultKeyHash;
  private final boolean weighted;

  KetamaVariant(String text, String defaultKeyHash, boolean weighted) {
    this.text = text;
    this.defaultKeyHash = defaultKeyHash;
    this.weighted = weighted;
  }

  /** The name in topology files. */
  public String text() {
    return text;
  }

  /** Whether servers may weigh differently, and points come from MD5. */
  public boolean isWeighted() {
    return weighted;
  }

  /** The key hashes that the system offers, by its own names. */
  public Map<String, HashFunction> keyHashes() {
    return this == TWEMPROXY ? PeerHashes.ofTwemproxy() : PeerHashes.ofLibmemcached();
  }

  /** The key hash that the system takes if none is configured. */
  public HashFunction defaultKeyHash() {
    HashFunction hash = keyHashes().get(defaultKeyHash);
    if (hash == null) {
      throw new IllegalStateException(text + " has no key hash " + defaultKeyHash);
    }
    return hash;
  }

  /** The variant of that name. */
  public static Optional<KetamaVariant> named(String text) {
    for (KetamaVariant variant : values()) {
      if (variant.text.equals(text)) {
        return Optional.of(variant);
      }
    }
    return Optional.empty();
  }

  /** The text before {@code -index} that a node's points are the hashes of. */
  public String label(Node node) {
    if (node.peer().name().isPresent()) {
      return node.peer().name().get();
    }
    String address = Peer.nameOf(node);
    return switch (this) {
      case SPYMEMCACHED -> "/" + address;
      case SPYMEMCACHED_JAVA -> address;
      case LIBMEMCACHED, LIBMEMCACHED_WEIGHTED, TWEMPROXY ->
          address.endsWith(DEFAULT_PORT)
              ? address.substring(0, address.length() - DEFAULT_PORT.length())
              : address;
    };
  }
}
