package dev.beltway.bench;

import dev.beltway.hash.Finalizers;

/** The keys of the lookup benchmarks: 16 ASCII characters, in an order that no cache foresees. */
final class Keys {

  private static final int COUNT = 1 << 14;

  private final String[] keys = new String[COUNT];
  private int next;

  Keys() {
    for (int i = 0; i < COUNT; i++) {
      keys[i] =
          String.format(
              "user:%011d", Long.remainderUnsigned(Finalizers.splitmix64(i), 99_999_999_999L));
    }
  }

  String next() {
    return keys[next++ & (COUNT - 1)];
  }
}
