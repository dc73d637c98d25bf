package dev.beltway.resp.command;

import dev.beltway.resp.codec.RespReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command as a node describes it in its answer to {@code COMMAND INFO}: how commands of modules
 * and of later versions become known.
 */
public final class CommandInfo {

  private CommandInfo() {}

  /**
   * The command in one element of the answer, as {@link RespReader} reads it; empty if the node
   * doesn't know it. With key specifications (Redis 7) or without (Redis 6).
   */
  public static Optional<Command> parse(@Nullable Object element) {
    if (!(element instanceof List<?> fields) || fields.size() < 6) {
      return Optional.empty();
    }
    String name = RespReader.text(fields.get(0)).toLowerCase(Locale.ROOT);
    Set<String> flags = words(fields.get(2));
    Set<String> categories = new HashSet<>();
    if (fields.size() > 6) {
      words(fields.get(6)).forEach(word -> categories.add(word.replaceFirst("^@", "")));
    }
    Effect effect =
        flags.contains("write")
            ? Effect.MODIFY
            : flags.contains("readonly") ? Effect.READ : Effect.OTHER;
    List<KeyGroup> keys = new ArrayList<>();
    boolean all = true;
    if (fields.size() > 8 && fields.get(8) instanceof List<?> groups && !groups.isEmpty()) {
      for (Object group : groups) {
        Optional<KeyGroup> known = group(effect, group);
        all &= known.isPresent();
        known.ifPresent(keys::add);
      }
    } else if (number(fields.get(3)) > 0) {
      int first = (int) number(fields.get(3));
      int last = (int) number(fields.get(4));
      keys.add(
          new KeyGroup(
              effect,
              "",
              first,
              false,
              last < 0 ? last : last - first,
              Math.max(1, (int) number(fields.get(5))),
              0,
              0));
    }
    boolean blocks = flags.contains("blocking");
    Treatment treatment =
        keys.isEmpty() || !all
            ? Treatment.REFUSED
            : blocks ? Treatment.BLOCKING : Treatment.ONE_NODE;
    return Optional.of(
        new Command(
            name,
            (int) number(fields.get(1)),
            effect,
            flags,
            categories,
            keys,
            false,
            treatment,
            treatment == Treatment.REFUSED ? "its keys can't be told" : ""));
  }

  private static Optional<KeyGroup> group(Effect effect, @Nullable Object group) {
    Object begin = field(group, "begin_search");
    Object find = field(group, "find_keys");
    Object where = field(begin, "spec");
    Object what = field(find, "spec");
    String beginType = RespReader.text(field(begin, "type"));
    String findType = RespReader.text(field(find, "type"));
    boolean indexed = beginType.equals("index");
    boolean counted = findType.equals("keynum");
    if (!indexed && !beginType.equals("keyword") || !counted && !findType.equals("range")) {
      return Optional.empty();
    }
    return Optional.of(
        new KeyGroup(
            effect,
            indexed ? "" : RespReader.text(field(where, "keyword")).toUpperCase(Locale.ROOT),
            (int) number(field(where, indexed ? "index" : "startfrom")),
            counted,
            (int) number(field(what, counted ? "keynumidx" : "lastkey")),
            Math.max(1, (int) number(field(what, "keystep"))),
            counted ? 0 : (int) number(field(what, "limit")),
            counted ? (int) number(field(what, "firstkey")) : 0));
  }

  private static @Nullable Object field(@Nullable Object map, String name) {
    if (map instanceof List<?> list) {
      for (int i = 0; i + 1 < list.size(); i += 2) {
        if (RespReader.text(list.get(i)).equals(name)) {
          return list.get(i + 1);
        }
      }
    }
    return null;
  }

  private static Set<String> words(@Nullable Object list) {
    Set<String> words = new HashSet<>();
    if (list instanceof List<?> values) {
      values.forEach(value -> words.add(RespReader.text(value)));
    }
    return words;
  }

  private static long number(@Nullable Object value) {
    return value instanceof Long number ? number : 0;
  }
}
