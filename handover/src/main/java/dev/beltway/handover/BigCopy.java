package dev.beltway.handover;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes one big key to its target in parts, so that no node is busy with it for long (rule 10). The
 * key is sealed at its source: it stays as it is, and its time does not run out, until the copy is
 * whole. The copy is made in the target's control database, where nobody sees it, gets the key's
 * time, and takes the key's place there; then the source forgets the key. Whoever asks for it waits
 * meanwhile, since the transfer script refuses it.
 */
final class BigCopy {

  /** How many bytes a part has, about. */
  private static final long PART = 64 << 10;

  private static final int MOST_PARTS = 500;
  private static final long LONGEST_REST = 20;

  /** How many words a command of a part has at most, and one that can't be divided. */
  private static final int MOST_WORDS = 1_000;

  private static final int MOST_WORDS_OF_ALL = 7_000;

  /** What came of it. */
  enum Outcome {
    /** It has left. */
    MOVED,
    /** It was gone already. */
    GONE,
    /** It can't be taken apart; it is to be moved in one piece. */
    WHOLE
  }

  private final long term;
  private final int control;
  private final Pace pace;
  private final String source;
  private final String target;
  private final TransferToken token;
  private final Key key;
  private final boolean compared;
  private final String attempt;
  private String kind = "";
  private long size;
  private boolean marked;
  private long length;
  private int count;
  private boolean replaced;
  private String left = "-1";
  private final String staging;

  BigCopy(
      long term,
      int control,
      Pace pace,
      String source,
      String target,
      TransferToken token,
      Key key,
      boolean compared) {
    this.term = term;
    this.control = control;
    this.pace = pace;
    this.source = source;
    this.target = target;
    this.token = token;
    this.key = key;
    this.compared = compared;
    this.attempt = token.text() + "/" + term;
    this.staging = Names.STAGING + Names.mark(source);
  }

  /** Whether something from elsewhere was in its place at the target. */
  boolean hasReplaced() {
    return replaced;
  }

  /** Begins; the source's connection is in the key's database, also afterwards. */
  Step begin(Function<Outcome, Step> then) {
    return atSource(
        "seal",
        List.of(),
        reply -> {
          List<?> answer = Orders.list(reply);
          kind = String.valueOf(answer.get(0));
          if (kind.equals("none")) {
            return then.apply(Outcome.GONE);
          }
          size = Math.max(1, Transfer.number(answer.get(1)));
          marked = "1".equals(answer.get(3));
          boolean plain = List.of("string", "list", "set", "zset", "stream", "hash").contains(kind);
          if (!plain || key.name().startsWith(Names.OWN)) {
            return whole(then); // Its copy would pass through the control database by its name.
          }
          // Both ends must know the commands of 6.2.
          return knows(
              source,
              "SMISMEMBER",
              known ->
                  known
                      ? knows(target, "SMISMEMBER", too -> too ? fields(then) : whole(then))
                      : whole(then));
        });
  }

  private static Step knows(String node, String command, Function<Boolean, Step> then) {
    return Step.tell(
        node,
        List.of("COMMAND", "INFO", command),
        reply -> {
          List<?> known = Orders.list(reply);
          return then.apply(!known.isEmpty() && known.get(0) instanceof List<?>);
        });
  }

  /** Fields of a hash with times of their own would lose them. */
  private Step fields(Function<Outcome, Step> then) {
    return kind.equals("hash")
        ? knows(source, "HPEXPIRETIME", expire -> expire ? whole(then) : count(then))
        : count(then);
  }

  private Step whole(Function<Outcome, Step> then) {
    return Script.BIG.ask(source, List.of(), words("unseal"), done -> then.apply(Outcome.WHOLE));
  }

  private List<String> words(String step, String... more) {
    List<String> words = new ArrayList<>(List.of(step, Integer.toString(control)));
    words.add(Long.toString(term));
    words.addAll(List.of(more));
    return words;
  }

  /** A step at the source, under its token. */
  private Step atSource(String step, List<String> more, Function<@Nullable Object, Step> then) {
    List<String> words = words(step, token.text(), Integer.toString(key.database()), key.name());
    words.addAll(more);
    return Script.BIG.tell(
        source,
        List.of(),
        words,
        reply -> {
          return reply instanceof ErrorReply error ? Walk.failed(source, error) : then.apply(reply);
        });
  }

  private Step count(Function<Outcome, Step> then) {
    return Step.ask(
        source,
        List.of(lengthCommand(), key.name()),
        reply -> {
          length = Math.max(1, Transfer.number(reply));
          long each = Math.max(1, size / length);
          count = (int) Math.max(1, Math.min(MOST_PARTS, PART / each));
          return Script.BIG.ask(
              target,
              List.of(),
              words("begin", attempt, Names.mark(source)),
              begun -> part(Part.first(kind), then));
        });
  }

  private String lengthCommand() {
    return switch (kind) {
      case "string" -> "STRLEN";
      case "list" -> "LLEN";
      case "set" -> "SCARD";
      case "zset" -> "ZCARD";
      case "hash" -> "HLEN";
      default -> "XLEN";
    };
  }

  // ---------------------------------------------------------------- parts

  /** Where a walk over a key's parts is: an offset, a cursor, or the last id of a stream. */
  private record Part(String at) {
    static Part first(String kind) {
      return new Part(kind.equals("stream") ? "-" : "0");
    }
  }

  private List<String> read(String name, Part part) {
    String some = Integer.toString(count);
    return switch (kind) {
      case "string" -> {
        long from = Long.parseLong(part.at());
        yield List.of("GETRANGE", name, part.at(), Long.toString(from + PART - 1));
      }
      case "list" -> {
        long from = Long.parseLong(part.at());
        yield List.of("LRANGE", name, part.at(), Long.toString(from + count - 1));
      }
      case "set" -> List.of("SSCAN", name, part.at(), "COUNT", some);
      case "zset" -> List.of("ZSCAN", name, part.at(), "COUNT", some);
      case "hash" -> List.of("HSCAN", name, part.at(), "COUNT", some);
      default -> List.of("XRANGE", name, part.at(), "+", "COUNT", some);
    };
  }

  /** The elements of a part, as they are given to the command that adds them. */
  private List<String> elements(@Nullable Object reply) {
    if (kind.equals("string")) {
      String text = String.valueOf(reply);
      return text.isEmpty() ? List.of() : List.of(text);
    }
    boolean scans = kind.equals("set") || kind.equals("zset") || kind.equals("hash");
    List<?> found = scans ? Orders.list(Orders.list(reply).get(1)) : Orders.list(reply);
    List<String> all = new ArrayList<>(found.size());
    if (kind.equals("stream")) {
      return all;
    }
    found.forEach(each -> all.add(String.valueOf(each)));
    return all;
  }

  /** What follows a part; null behind the last one. */
  private @Nullable Part next(Part part, @Nullable Object reply) {
    return switch (kind) {
      case "string" -> {
        long next = Long.parseLong(part.at()) + PART;
        yield next >= length ? null : new Part(Long.toString(next));
      }
      case "list" -> {
        long next = Long.parseLong(part.at()) + count;
        yield next >= length ? null : new Part(Long.toString(next));
      }
      case "stream" -> {
        List<?> entries = Orders.list(reply);
        yield entries.size() < count
            ? null
            : new Part("(" + Orders.list(entries.get(entries.size() - 1)).get(0));
      }
      default -> {
        String cursor = String.valueOf(Orders.list(reply).get(0));
        yield cursor.equals("0") ? null : new Part(cursor);
      }
    };
  }

  /** Waits while it has to; fails if it is not wanted any more. */
  private Step paced(Supplier<Step> then) {
    if (pace.isOver(token.version())) {
      return Step.failed("keys do not move any more");
    }
    // One that was begun is ended soon: somebody may wait for it.
    long rest = pace.isPaused() ? 0 : Math.min(LONGEST_REST, pace.delay());
    return rest > 0 ? new Step.Wait(rest, then) : then.get();
  }

  private Step part(Part part, Function<Outcome, Step> then) {
    return paced(
        () ->
            Step.ask(
                source,
                read(key.name(), part),
                reply -> {
                  List<List<String>> commands = commands(reply);
                  if (commands.stream().anyMatch(each -> each.size() > MOST_WORDS_OF_ALL)) {
                    return whole(then); // An entry of a stream that is too long for a script.
                  }
                  Part next = next(part, reply);
                  Supplier<Step> goOn = () -> next == null ? groups(then) : part(next, then);
                  return commands.isEmpty() ? goOn.get() : stage(commands, goOn);
                }));
  }

  private List<List<String>> commands(@Nullable Object reply) {
    List<List<String>> commands = new ArrayList<>();
    if (kind.equals("stream")) {
      for (Object entry : Orders.list(reply)) {
        List<String> add = new ArrayList<>(List.of("XADD", staging));
        add.add(String.valueOf(Orders.list(entry).get(0)));
        Orders.list(Orders.list(entry).get(1)).forEach(word -> add.add(String.valueOf(word)));
        commands.add(add);
      }
      return commands;
    }
    List<String> elements = elements(reply);
    if (elements.isEmpty()) {
      return commands;
    }
    String name =
        switch (kind) {
          case "string" -> "APPEND";
          case "list" -> "RPUSH";
          case "set" -> "SADD";
          case "zset" -> "ZADD";
          default -> "HSET";
        };
    // Small encodings answer with all they have, whatever was asked for.
    for (int from = 0; from < elements.size(); from += MOST_WORDS) {
      List<String> some = elements.subList(from, Math.min(elements.size(), from + MOST_WORDS));
      List<String> add = new ArrayList<>(some.size() + 2);
      add.add(name);
      add.add(staging);
      if (kind.equals("zset")) {
        for (int i = 0; i + 1 < some.size(); i += 2) {
          add.add(some.get(i + 1));
          add.add(some.get(i));
        }
      } else {
        add.addAll(some);
      }
      commands.add(add);
    }
    return commands;
  }

  private Step stage(List<List<String>> commands, Supplier<Step> then) {
    return stage(commands, 0, then);
  }

  /** As many commands at once as a script can take. */
  private Step stage(List<List<String>> commands, int from, Supplier<Step> then) {
    if (from == commands.size()) {
      return then.get();
    }
    List<String> words = words("stage", attempt, Names.mark(source));
    long bytes = 0;
    int next = from;
    while (next < commands.size()
        && (next == from || words.size() + commands.get(next).size() < MOST_WORDS_OF_ALL)) {
      List<String> command = commands.get(next++);
      words.add(Integer.toString(command.size()));
      words.addAll(command);
      for (String word : command) {
        bytes += word.length();
      }
    }
    pace.copied(bytes);
    int following = next;
    return Script.BIG.ask(target, List.of(), words, done -> stage(commands, following, then));
  }

  // ---------------------------------------------------------------- streams

  private Step groups(Function<Outcome, Step> then) {
    if (!kind.equals("stream")) {
      return verify(then);
    }
    return Step.ask(
        source,
        List.of("XINFO", "STREAM", key.name()),
        reply -> {
          List<String> set = new ArrayList<>(List.of("XSETID", staging));
          set.add(field(reply, "last-generated-id"));
          String added = field(reply, "entries-added");
          if (!added.isEmpty()) { // From version 7.0 on.
            set.addAll(List.of("ENTRIESADDED", added));
            set.addAll(List.of("MAXDELETEDID", field(reply, "max-deleted-entry-id")));
          }
          List<String> empty = List.of("XGROUP", "CREATE", staging, "beltway", "0", "MKSTREAM");
          List<String> drop = List.of("XGROUP", "DESTROY", staging, "beltway");
          return stage(
              List.of(empty, drop, set),
              () ->
                  Step.ask(
                      source,
                      List.of("XINFO", "GROUPS", key.name()),
                      groups -> group(new ArrayList<>(Orders.list(groups)), 0, then)));
        });
  }

  private static String field(@Nullable Object reply, String name) {
    List<?> words = Orders.list(reply);
    for (int i = 0; i + 1 < words.size(); i += 2) {
      if (name.equals(words.get(i))) {
        Object value = words.get(i + 1);
        return value == null ? "" : String.valueOf(value);
      }
    }
    return "";
  }

  private Step group(List<Object> groups, int number, Function<Outcome, Step> then) {
    if (number == groups.size()) {
      return verify(then);
    }
    Object group = groups.get(number);
    String name = field(group, "name");
    List<String> create = new ArrayList<>(List.of("XGROUP", "CREATE", staging, name));
    create.add(field(group, "last-delivered-id"));
    String read = field(group, "entries-read");
    if (!read.isEmpty()) {
      create.addAll(List.of("ENTRIESREAD", read));
    }
    return Step.ask(
        source,
        List.of("XINFO", "CONSUMERS", key.name(), name),
        consumers -> {
          List<List<String>> commands = new ArrayList<>();
          commands.add(create);
          for (Object consumer : Orders.list(consumers)) {
            commands.add(
                List.of("XGROUP", "CREATECONSUMER", staging, name, field(consumer, "name")));
          }
          return stage(commands, () -> pending(name, "-", () -> group(groups, number + 1, then)));
        });
  }

  private Step pending(String group, String from, Supplier<Step> then) {
    return Step.ask(
        source,
        List.of("XPENDING", key.name(), group, from, "+", Integer.toString(MOST_PARTS)),
        reply -> {
          List<List<String>> commands = new ArrayList<>();
          String last = from;
          for (Object each : Orders.list(reply)) {
            List<?> entry = Orders.list(each);
            last = String.valueOf(entry.get(0));
            commands.add(
                List.of(
                    "XCLAIM",
                    staging,
                    group,
                    String.valueOf(entry.get(1)),
                    "0",
                    last,
                    "IDLE",
                    String.valueOf(entry.get(2)),
                    "RETRYCOUNT",
                    String.valueOf(entry.get(3)),
                    "FORCE",
                    "JUSTID"));
          }
          if (commands.isEmpty()) {
            return then.get();
          }
          String next = "(" + last;
          boolean more = commands.size() == MOST_PARTS;
          return stage(commands, () -> more ? pending(group, next, then) : then.get());
        });
  }

  // ---------------------------------------------------------------- the end

  private Step verify(Function<Outcome, Step> then) {
    return Step.ask(
        target,
        List.of(lengthCommand(), staging),
        reply -> {
          long there = Transfer.number(reply);
          boolean empty = kind.equals("stream") && there == 0;
          if (there != length && !empty) {
            return Step.failed(
                Walk.DIFFERS
                    + "the copy of big key "
                    + Orders.shown(key.database(), key.name())
                    + " has "
                    + there
                    + " elements, not "
                    + length);
          }
          return compared && !empty ? compare(Part.first(kind), then) : mark(then);
        });
  }

  /** Reads the copy, part by part, and compares it with what the source has. */
  private Step compare(Part part, Function<Outcome, Step> then) {
    return paced(
        () ->
            Step.ask(
                target,
                read(staging, part),
                there -> {
                  Part next = next(part, there);
                  Supplier<Step> goOn = () -> next == null ? mark(then) : compare(next, then);
                  List<String> elements = elements(there);
                  boolean named = !kind.equals("stream");
                  if (named && elements.isEmpty()) {
                    return goOn.get();
                  }
                  return Step.ask(
                      source,
                      same(part, elements),
                      here -> isSame(there, elements, here) ? goOn.get() : differs());
                }));
  }

  private Step differs() {
    return Step.failed(
        Walk.DIFFERS
            + "the copy of big key "
            + Orders.shown(key.database(), key.name())
            + " is not what its source has");
  }

  /** What to ask the source for about a part of the copy. */
  private List<String> same(Part part, List<String> elements) {
    List<String> words = new ArrayList<>();
    switch (kind) {
      case "set" -> {
        words.addAll(List.of("SMISMEMBER", key.name()));
        words.addAll(elements);
      }
      case "hash", "zset" -> {
        words.addAll(List.of(kind.equals("hash") ? "HMGET" : "ZMSCORE", key.name()));
        for (int i = 0; i < elements.size(); i += 2) {
          words.add(elements.get(i));
        }
      }
      default -> {
        return read(key.name(), part);
      }
    }
    return words;
  }

  private boolean isSame(@Nullable Object there, List<String> elements, @Nullable Object here) {
    switch (kind) {
      case "set" -> {
        return Orders.list(here).stream().allMatch(each -> Long.valueOf(1).equals(each));
      }
      case "hash", "zset" -> {
        List<?> values = Orders.list(here);
        for (int i = 0; i < values.size(); i++) {
          if (!elements.get(2 * i + 1).equals(values.get(i))) {
            return false;
          }
        }
        return values.size() * 2 == elements.size();
      }
      default -> {
        return String.valueOf(there).equals(String.valueOf(here));
      }
    }
  }

  private Step mark(Function<Outcome, Step> then) {
    return atSource(
        "mark",
        List.of(),
        reply -> {
          left = String.valueOf(reply);
          return finish(then);
        });
  }

  private Step finish(Function<Outcome, Step> then) {
    return Script.BIG.ask(
        target,
        List.of(),
        words(
            "finish",
            attempt,
            Names.mark(source),
            Integer.toString(key.database()),
            key.name(),
            left),
        busy -> {
          // What an earlier attempt of this leader's or another's has put there is no surprise.
          replaced = Transfer.number(busy) > 0 && !marked;
          return atSource(
              "drop",
              List.of(Names.mark(target), Long.toString(size)),
              reply -> {
                List<?> totals = Orders.list(reply);
                long keys = Transfer.number(totals.get(0));
                if (keys > 0) {
                  pace.counted(source, Names.mark(target), keys, Transfer.number(totals.get(1)));
                }
                return then.apply(Outcome.MOVED);
              });
        });
  }
}
