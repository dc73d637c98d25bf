package dev.beltway.lab.log;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a request does to its key. */
public enum Operation {
  /** Reads a value: a cache may answer it. */
  READ,
  /** Stores a value. */
  WRITE,
  /** Changes a value that may be there; for how long it lives stays as it was. */
  MODIFY,
  /** Changes for how long a value lives, if it is there. */
  EXPIRE,
  /** Removes a value. */
  DELETE,
  /** Anything else. */
  OTHER;

  private static final Map<String, Operation> BY_NAME = new HashMap<>();

  static {
    for (String name :
        List.of("get", "gets", "read", "head", "mget", "gat", "gats", "get_lease", "r", "hit")) {
      BY_NAME.put(name, READ);
    }
    for (String name :
        List.of(
            "set",
            "add",
            "replace",
            "cas",
            "write",
            "put",
            "post",
            "patch",
            "insert",
            "update",
            "set_lease",
            "w")) {
      BY_NAME.put(name, WRITE);
    }
    for (String name : List.of("append", "prepend", "incr", "decr")) {
      BY_NAME.put(name, MODIFY);
    }
    BY_NAME.put("touch", EXPIRE);
    for (String name : List.of("delete", "del", "unlink", "remove", "invalidate", "d")) {
      BY_NAME.put(name, DELETE);
    }
  }

  /**
   * The operation that a log means by a word: those of memcached, HTTP, SQL-like traces and the
   * Twitter and Meta traces, in any case of letters; {@link #OTHER} for a word unknown.
   */
  public static Operation of(byte[] bytes, int from, int to) {
    // Traces have a dozen words and millions of lines; the two most frequent need no string.
    if (to - from == 3 && (bytes[from + 1] | 0x20) == 'e' && (bytes[from + 2] | 0x20) == 't') {
      int first = bytes[from] | 0x20;
      if (first == 'g') {
        return READ;
      }
      if (first == 's') {
        return WRITE;
      }
    }
    String word = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    return BY_NAME.getOrDefault(word.toLowerCase(Locale.ROOT), OTHER);
  }
}
