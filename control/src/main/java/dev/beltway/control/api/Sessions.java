package dev.beltway.control.api;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * People who have logged in from a browser with an API key. The browser gets a random name in a
 * cookie, never the key. At most {@value #MOST} at a time, the one unused longest goes first;
 * twelve hours without a request and without an open page end one. Thread-safe.
 */
final class Sessions {

  /** The cookie's name. */
  static final String COOKIE = "beltway-session";

  /** How many there may be. */
  static final int MOST = 1_000;

  /** How many of one caller; more would push others out. */
  static final int MOST_OF_ONE = 50;

  private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(12);
  private static final int BYTES = 32;

  private record Session(ApiKeys.Caller caller, long used) {}

  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();

  /** The one used last is at the end. */
  private final Map<String, Session> all = new LinkedHashMap<>();

  Sessions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Begins one. */
  synchronized String begin(ApiKeys.Caller caller) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String name = HexFormat.of().formatHex(bytes);
    all.put(name, new Session(caller, nanos.getAsLong()));
    List<String> own =
        all.entrySet().stream()
            .filter(each -> each.getValue().caller().equals(caller))
            .map(Map.Entry::getKey)
            .toList();
    if (own.size() > MOST_OF_ONE) {
      all.remove(own.get(0));
    }
    Iterator<String> oldest = all.keySet().iterator();
    while (all.size() > MOST) {
      oldest.next();
      oldest.remove();
    }
    return name;
  }

  /** Whose it is; empty if there is none, or not any more. */
  synchronized Optional<ApiKeys.Caller> caller(@Nullable String name) {
    Session session = name == null ? null : all.remove(name);
    if (name == null || session == null || nanos.getAsLong() - session.used() > IDLE_NANOS) {
      return Optional.empty();
    }
    all.put(name, new Session(session.caller(), nanos.getAsLong()));
    return Optional.of(session.caller());
  }

  /** Ends one. */
  synchronized void end(@Nullable String name) {
    if (name != null) {
      all.remove(name);
    }
  }
}
