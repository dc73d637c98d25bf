package dev.beltway.simulation;

import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Latin1;
import dev.beltway.handover.Names;
import dev.beltway.handover.Script;
import dev.beltway.handover.Transfer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a Redis server does with the commands of a hand-over and with some of clients. A test
 * compares it with a real one. Not thread-safe.
 */
final class ModelRedis {

  static final String ADMIN_PASSWORD = "secret";

  private static final Object QUEUED = "QUEUED";

  /** A value: a text or a hash. */
  record Value(@Nullable String text, @Nullable Map<String, String> hash, boolean expires) {}

  /** A user with the hash of its password. */
  record User(String name, String hash) {}

  /** How a value gets from here to another server. */
  interface Wire {
    /** The answer of MIGRATE for these keys, which the model then removes, or an error. */
    @Nullable ErrorReply carry(
        ModelRedis from,
        String place,
        String user,
        String password,
        int database,
        Map<String, Value> keys,
        boolean replace);
  }

  /** A connection as the server sees it. */
  static final class Connection {
    final long id;
    @Nullable User user;
    int database;
    boolean dead;
    boolean dirty;
    @Nullable List<List<String>> multi;
    boolean spoiled;
    final List<String> watched = new ArrayList<>();

    Connection(long id) {
      this.id = id;
    }
  }

  private final String id;
  private final int databases;
  private final Wire wire;
  private final Flaws flaws;
  private final Set<String> big;
  private Map<String, User> users = new HashMap<>();
  private List<Map<String, Value>> data = new ArrayList<>();
  private Map<Long, Connection> connections = new HashMap<>();
  private boolean scriptKnown;
  private long nextConnection;
  private String run;
  private int runs;
  boolean durable;

  ModelRedis(String id, int databases, boolean durable, Set<String> big, Wire wire, Flaws flaws) {
    this.big = big;
    this.id = id;
    this.databases = databases;
    this.durable = durable;
    this.wire = wire;
    this.flaws = flaws;
    for (int i = 0; i < databases; i++) {
      data.add(new TreeMap<>());
    }
    this.run = "";
    begin();
  }

  private void begin() {
    run = "run" + id + runs++;
    users = new HashMap<>();
    users.put("default", new User("default", sha256(ADMIN_PASSWORD)));
    connections = new HashMap<>();
    scriptKnown = false;
  }

  String id() {
    return id;
  }

  String run() {
    return run;
  }

  Map<String, Value> database(int number) {
    return data.get(number);
  }

  /** What is in it now, to come back to. */
  List<Map<String, Value>> snapshot() {
    List<Map<String, Value>> copy = new ArrayList<>();
    data.forEach(each -> copy.add(new TreeMap<>(each)));
    return copy;
  }

  /** The process ends and another one begins, with this data. */
  void restart(List<Map<String, Value>> from) {
    data = from;
    connections.values().forEach(connection -> connection.dead = true);
    begin();
  }

  Connection connect() {
    Connection connection = new Connection(++nextConnection);
    connections.put(connection.id, connection);
    return connection;
  }

  static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Latin1.bytes(text)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean login(Connection connection, String name, String hash) {
    User user = users.get(name);
    if (user == null || !user.hash().equals(hash)) {
      return false;
    }
    connection.user = user;
    return true;
  }

  boolean mayLogin(String name, String hash) {
    User user = users.get(name);
    return user != null && user.hash().equals(hash);
  }

  /** A key arrives from another server; whether it was taken. */
  boolean restore(int database, String key, Value value, boolean replace) {
    if (!replace && data.get(database).containsKey(key)) {
      return false;
    }
    put(database, key, value);
    return true;
  }

  /** A key's time is over. */
  void expire(int database, String key) {
    remove(database, key);
  }

  private void put(int database, String key, Value value) {
    data.get(database).put(key, value);
    touch(database, key);
  }

  private boolean remove(int database, String key) {
    boolean there = data.get(database).remove(key) != null;
    if (there) {
      touch(database, key);
    }
    return there;
  }

  private void touch(int database, String key) {
    for (Connection connection : connections.values()) {
      if (!connection.watched.isEmpty() && connection.watched.contains(database + ":" + key)) {
        connection.dirty = true;
      }
    }
  }

  // ---------------------------------------------------------------- commands

  /** Does a command. */
  @Nullable Object execute(Connection connection, List<String> words) {
    String name = words.get(0).toUpperCase(Locale.ROOT);
    if (connection.user == null && !name.equals("AUTH")) {
      return new ErrorReply("NOAUTH Authentication required.");
    }
    List<List<String>> multi = connection.multi;
    if (multi != null && !name.equals("EXEC")) {
      multi.add(words);
      return QUEUED;
    }
    switch (name) {
      case "AUTH" -> {
        boolean named = words.size() > 2;
        return login(
                connection, named ? words.get(1) : "default", sha256(words.get(words.size() - 1)))
            ? "OK"
            : new ErrorReply("WRONGPASS invalid username-password pair or user is disabled.");
      }
      case "MULTI" -> {
        connection.multi = new ArrayList<>();
        return "OK";
      }
      case "EXEC" -> {
        return exec(connection);
      }
      case "WATCH" -> {
        connection.watched.add(connection.database + ":" + words.get(1));
        return "OK";
      }
      case "UNWATCH" -> {
        connection.watched.clear();
        connection.dirty = false;
        return "OK";
      }
      default -> {
        return plain(connection, name, words);
      }
    }
  }

  private @Nullable Object exec(Connection connection) {
    List<List<String>> multi = connection.multi;
    if (multi == null) {
      return new ErrorReply("ERR EXEC without MULTI");
    }
    connection.multi = null;
    boolean dirty = connection.dirty && !flaws.has(Flaw.NO_TERM);
    connection.watched.clear();
    connection.dirty = false;
    if (dirty) {
      return null;
    }
    List<@Nullable Object> replies = new ArrayList<>();
    for (List<String> words : multi) {
      replies.add(plain(connection, words.get(0).toUpperCase(Locale.ROOT), words));
    }
    return replies;
  }

  private @Nullable Object plain(Connection connection, String name, List<String> words) {
    int database = connection.database;
    Map<String, Value> keys = data.get(database);
    switch (name) {
      case "SELECT" -> {
        int wanted = Integer.parseInt(words.get(1));
        if (wanted >= databases) {
          return new ErrorReply("ERR DB index is out of range");
        }
        connection.database = wanted;
        return "OK";
      }
      case "GET" -> {
        Value value = keys.get(words.get(1));
        return value == null ? null : value.text();
      }
      case "SET" -> {
        put(database, words.get(1), new Value(words.get(2), null, words.size() > 3));
        return "OK";
      }
      case "DEL", "UNLINK" -> {
        long count = 0;
        for (String key : words.subList(1, words.size())) {
          count += remove(database, key) ? 1 : 0;
        }
        return count;
      }
      case "EXISTS" -> {
        return keys.containsKey(words.get(1)) ? 1L : 0L;
      }
      case "INCR" -> {
        Value old = keys.get(words.get(1));
        long next = old == null || old.text() == null ? 1 : Long.parseLong(old.text()) + 1;
        put(
            database,
            words.get(1),
            new Value(Long.toString(next), null, old != null && old.expires()));
        return next;
      }
      case "RENAME" -> {
        Value value = keys.get(words.get(1));
        if (value == null) {
          return new ErrorReply("ERR no such key");
        }
        remove(database, words.get(1));
        put(database, words.get(2), value);
        return "OK";
      }
      case "HSET" -> {
        Value old = keys.get(words.get(1));
        Map<String, String> hash = new TreeMap<>();
        if (old != null && old.hash() != null) {
          hash.putAll(old.hash());
        }
        long added = 0;
        for (int i = 2; i < words.size(); i += 2) {
          added += hash.put(words.get(i), words.get(i + 1)) == null ? 1 : 0;
        }
        put(database, words.get(1), new Value(null, hash, false));
        return added;
      }
      case "SCAN" -> {
        return List.of("0", new ArrayList<>(keys.keySet()));
      }
      case "ACL" -> {
        return acl(words);
      }
      case "STRLEN" -> {
        Value value = keys.get(words.get(1));
        return value == null || value.text() == null ? 0L : (long) value.text().length();
      }
      case "GETRANGE" -> {
        Value value = keys.get(words.get(1));
        return value == null || value.text() == null ? "" : value.text();
      }
      case "COMMAND" -> {
        List<@Nullable Object> known = new ArrayList<>();
        known.add(words.get(2).equals("SMISMEMBER") ? List.of("smismember") : null);
        return known;
      }
      case "CLIENT" -> {
        if (words.get(1).equals("LIST")) {
          return "";
        }
        Connection found = connections.remove(Long.parseLong(words.get(3)));
        if (found == null) {
          return 0L;
        }
        found.dead = true;
        return 1L;
      }
      case "INFO" -> {
        return "# Server\r\nredis_version:7.0.15\r\nrun_id:"
            + run
            + "\r\nloading:0\r\nrole:master\r\n";
      }
      case "CONFIG" -> {
        return durable
            ? List.of("appendonly", "yes", "appendfsync", "always")
            : List.of("appendonly", "no", "appendfsync", "everysec");
      }
      case "SCRIPT" -> {
        scriptKnown = true;
        return Transfer.SHA;
      }
      case "EVALSHA" -> {
        return scriptKnown
            ? script(words)
            : new ErrorReply("NOSCRIPT No matching script. Please use EVAL.");
      }
      case "MIGRATE" -> {
        Value value = keys.get(words.get(3));
        if (value == null) {
          return "NOKEY";
        }
        Map<String, Value> one = new HashMap<>();
        one.put(words.get(3), value);
        ErrorReply error =
            wire.carry(
                this,
                words.get(1) + ":" + words.get(2),
                words.get(words.size() - 2),
                words.get(words.size() - 1),
                Integer.parseInt(words.get(4)),
                one,
                words.contains("REPLACE"));
        if (error == null) {
          remove(database, words.get(3));
          return "OK";
        }
        return error;
      }
      default -> {
        return new ErrorReply("ERR unknown command '" + words.get(0) + "'");
      }
    }
  }

  private Object acl(List<String> words) {
    switch (words.get(1).toUpperCase(Locale.ROOT)) {
      case "SETUSER" -> {
        String hash = "";
        for (String word : words.subList(3, words.size())) {
          if (word.startsWith("#")) {
            hash = word.substring(1);
          } else if (word.startsWith(">")) {
            hash = sha256(word.substring(1));
          }
        }
        users.put(words.get(2), new User(words.get(2), hash));
        return "OK";
      }
      case "DELUSER" -> {
        long count = 0;
        for (String name : words.subList(2, words.size())) {
          if (users.remove(name) != null) {
            count++;
            connections
                .values()
                .removeIf(
                    connection -> {
                      boolean his = connection.user != null && connection.user.name().equals(name);
                      connection.dead |= his;
                      return his;
                    });
          }
        }
        return count;
      }
      case "USERS" -> {
        return new ArrayList<>(new TreeMap<>(users).keySet());
      }
      default -> {
        return List.of("flags", List.of("on"));
      }
    }
  }

  private @Nullable Object script(List<String> words) {
    int count = Integer.parseInt(words.get(2));
    List<String> names = words.subList(3, 3 + count);
    List<String> arguments = words.subList(3 + count, words.size());
    String sha = words.get(1);
    if (sha.equals(Script.BIG.sha())) {
      return bigStep(arguments);
    } else if (sha.equals(Script.COMPARE.sha())) {
      return compare(names, arguments);
    } else if (sha.equals(Script.SURVEY.sha())) {
      return List.of((long) names.size());
    }
    return transfer(words);
  }

  // ---------------------------------------------------------------- big.lua

  private Map<String, String> hash(int control, String name) {
    Value value = data.get(control).get(name);
    return value == null || value.hash() == null ? Map.of() : value.hash();
  }

  private void unseal(int control) {
    Map<String, String> record = hash(control, Names.SEALED);
    remove(control, Names.SEALED);
    String database = record.get("database");
    if (database != null) {
      String key = String.valueOf(record.get("key"));
      Value value = data.get(Integer.parseInt(database)).get(key);
      if (value != null && !"-1".equals(record.get("deadline"))) {
        put(Integer.parseInt(database), key, new Value(value.text(), value.hash(), true));
      }
    }
  }

  private @Nullable Object bigStep(List<String> arguments) {
    String step = arguments.get(0);
    int control = Integer.parseInt(arguments.get(1));
    Value term = data.get(control).get(Names.TERM);
    boolean obeys = term != null && arguments.get(2).equals(term.text());
    if (!obeys && !flaws.has(Flaw.NO_TERM_OF_MOVER) && !flaws.has(Flaw.NO_TERM)) {
      return new ErrorReply("BELTWAYTERM " + (term == null ? "false" : term.text()));
    }
    switch (step) {
      case "unseal" -> {
        unseal(control);
        return "OK";
      }
      case "wanted" -> {
        String text = hash(control, Names.TOKEN).get("text");
        return arguments.get(3).equals(text)
            ? ""
            : new ErrorReply("BELTWAYTOKEN " + (text == null ? "false" : text));
      }
      case "begin" -> {
        remove(control, Names.STAGING + arguments.get(4));
        put(control, Names.ATTEMPT + arguments.get(4), new Value(arguments.get(3), null, false));
        return "OK";
      }
      case "stage", "finish" -> {
        Value attempt = data.get(control).get(Names.ATTEMPT + arguments.get(4));
        if (attempt == null || !arguments.get(3).equals(attempt.text())) {
          return new ErrorReply("BELTWAYATTEMPT is another one");
        }
        return step.equals("stage") ? stage(control, arguments) : finish(control, arguments);
      }
      default -> {
        return atSource(step, control, arguments);
      }
    }
  }

  private Object stage(int control, List<String> arguments) {
    String staging = Names.STAGING + arguments.get(4);
    Value staged = data.get(control).get(staging);
    String text = staged == null ? "" : String.valueOf(staged.text());
    put(control, staging, new Value(text + arguments.get(8), null, false));
    return "OK";
  }

  private Object finish(int control, List<String> arguments) {
    int database = Integer.parseInt(arguments.get(5));
    String key = arguments.get(6);
    boolean busy = remove(database, key);
    Value staged = data.get(control).get(Names.STAGING + arguments.get(4));
    remove(control, Names.ATTEMPT + arguments.get(4));
    remove(control, Names.STAGING + arguments.get(4));
    if (staged != null) {
      remove(control, key); // It passes through there.
      put(database, key, new Value(staged.text(), null, !arguments.get(7).equals("-1")));
    }
    return busy ? 1L : 0L;
  }

  private Object atSource(String step, int control, List<String> arguments) {
    String text = hash(control, Names.TOKEN).get("text");
    if (!arguments.get(3).equals(text)) {
      return new ErrorReply("BELTWAYTOKEN " + (text == null ? "false" : text));
    }
    int database = Integer.parseInt(arguments.get(4));
    String key = arguments.get(5);
    Map<String, String> record = hash(control, Names.SEALED);
    boolean mine = arguments.get(4).equals(record.get("database")) && key.equals(record.get("key"));
    Value value = data.get(database).get(key);
    if (step.equals("seal")) {
      if (!mine) {
        unseal(control);
      }
      if (value == null) {
        remove(control, Names.SEALED);
        return List.of("none");
      }
      String deadline =
          mine ? String.valueOf(record.get("deadline")) : value.expires() ? "1" : "-1";
      String marked = mine ? record.getOrDefault("marked", "") : "";
      if (!mine) {
        if (!flaws.has(Flaw.NO_SEAL)) {
          put(database, key, new Value(value.text(), value.hash(), false));
        }
        Map<String, String> made = new TreeMap<>();
        made.put("database", arguments.get(4));
        made.put("key", key);
        made.put("deadline", deadline);
        put(control, Names.SEALED, new Value(null, made, false));
      }
      return List.of("string", 1L, deadline, marked);
    }
    if (!mine) {
      return new ErrorReply("BELTWAYSEAL is of another key");
    }
    if (step.equals("mark")) {
      if (flaws.has(Flaw.UNLINK_BEFORE_RENAME)) {
        remove(database, key);
      }
      Map<String, String> marked = new TreeMap<>(record);
      marked.put("marked", "1");
      put(control, Names.SEALED, new Value(null, marked, false));
      return String.valueOf(record.get("deadline"));
    }
    remove(database, key);
    remove(control, Names.SEALED);
    return List.of(1L, 1L);
  }

  // ---------------------------------------------------------------- compare.lua

  private Object compare(List<String> names, List<String> arguments) {
    int control = Integer.parseInt(arguments.get(1));
    int database = Integer.parseInt(arguments.get(2));
    Map<String, Value> keys = data.get(database);
    List<Object> answer = new ArrayList<>();
    if (arguments.get(0).equals("READ")) {
      for (String name : names) {
        Value value = keys.get(name);
        answer.add(value == null ? "" : "string" + value.text());
        answer.add(value == null ? -2L : value.expires() ? 1_000L : -1L);
      }
      return answer;
    }
    String text = hash(control, Names.TOKEN).get("text");
    if (!arguments.get(3).equals(text)) {
      return new ErrorReply("BELTWAYTOKEN " + (text == null ? "false" : text));
    }
    answer.add(1L);
    answer.add(1L);
    for (int i = 0; i < names.size(); i++) {
      Value value = keys.get(names.get(i));
      if (value != null && arguments.get(5 + i).equals("string" + value.text())) {
        remove(database, names.get(i));
      } else if (value != null) {
        answer.add(names.get(i));
      }
    }
    return answer;
  }

  /** transfer.lua. */
  private @Nullable Object transfer(List<String> words) {
    int count = Integer.parseInt(words.get(2));
    List<String> names = words.subList(3, 3 + count);
    int control = Integer.parseInt(words.get(3 + count));
    String shown = words.get(4 + count);
    int database = Integer.parseInt(words.get(5 + count));
    String target = words.get(6 + count);
    Value stored = data.get(control).get("__beltway:token");
    Map<String, String> token = stored == null || stored.hash() == null ? Map.of() : stored.hash();
    Map<String, Value> keys = data.get(database);
    Map<String, Value> there = new TreeMap<>();
    for (String name : names) {
      Value value = keys.get(name);
      if (value != null) {
        there.put(name, value);
      }
    }
    if (flaws.has(Flaw.ABSENT_BEFORE_TOKEN) && there.isEmpty()) {
      return List.of((long) names.size(), 1L, 1L);
    }
    String text = token.get("text");
    String place = token.get("to:" + target);
    if (flaws.has(Flaw.TOKEN_WITHOUT_RUN) && text != null) {
      text = text.substring(0, text.lastIndexOf('.')) + shown.substring(shown.lastIndexOf('.'));
    }
    if (flaws.has(Flaw.NO_TOKEN)) {
      String last = lastPlace.get("to:" + target);
      place = place == null ? last : place;
      if (place != null) {
        lastPlace.put("to:" + target, place);
        text = shown;
      }
    }
    boolean copies = words.get(10 + count).equals("COPY");
    if (!shown.equals(text) || place == null) {
      return new ErrorReply("BELTWAYTOKEN " + (text == null ? "false" : text));
    }
    if (there.isEmpty()) {
      return List.of((long) names.size(), 1L, 1L);
    }
    List<String> whole = names.stream().filter(name -> !isBig(control, database, name)).toList();
    long looked = names.size();
    if (whole.size() < names.size()) {
      if (isBig(control, database, names.get(0))) {
        return new ErrorReply("BELTWAYBIG 1");
      }
      looked = 0;
      while (!isBig(control, database, names.get((int) looked))) {
        looked++;
      }
      there.keySet().retainAll(names.subList(0, (int) looked));
      if (there.isEmpty()) {
        return List.of(looked, 1L, 1L);
      }
    }
    String[] parts = place.split("\n", -1);
    ErrorReply error = carry(parts, database, there, false, copies);
    List<String> busy = List.of();
    if (error != null && error.text().contains("BUSYKEY")) {
      there.keySet().removeIf(name -> !keys.containsKey(name));
      busy = new ArrayList<>(there.keySet());
      error = carry(parts, database, there, true, copies);
    }
    if (error == null) {
      List<Object> answer = new ArrayList<>(List.of(looked, 1L, 1L));
      answer.addAll(busy);
      return answer;
    }
    if (error.text().contains("IOERR")
        || error.text().contains("NOAUTH")
        || error.text().contains("WRONGPASS")) {
      if (!flaws.has(Flaw.NO_BREAK) && stored != null) {
        remove(control, "__beltway:token");
        put(control, "__beltway:token:broken", stored);
      }
      return new ErrorReply("BELTWAYBROKEN " + error.text());
    }
    return new ErrorReply("BELTWAYNOTTAKEN " + error.text());
  }

  /** For the flaw in which a token is never compared. */
  private final Map<String, String> lastPlace = new HashMap<>();

  private boolean isBig(int control, int database, String key) {
    boolean sealed = key.equals(hash(control, Names.SEALED).get("key"));
    if (flaws.has(Flaw.SEALED_KEY_LEAVES) && sealed) {
      return false; // It seems to be small, this time.
    }
    return (sealed || big.contains(key)) && data.get(database).containsKey(key);
  }

  private @Nullable ErrorReply carry(
      String[] place, int database, Map<String, Value> keys, boolean replace, boolean copies) {
    ErrorReply error =
        wire.carry(this, place[0] + ":" + place[1], place[2], place[3], database, keys, replace);
    if (copies) {
      return error;
    } else if (error == null) {
      keys.keySet().forEach(key -> remove(database, key));
    } else if (error.text().contains("BUSYKEY")) {
      for (String key : List.copyOf(keys.keySet())) {
        if (!busyKeys(error).contains(key)) {
          remove(database, key);
        }
      }
    }
    return error;
  }

  private static List<String> busyKeys(ErrorReply error) {
    String text = error.text();
    int at = text.indexOf(" \n");
    return at < 0 ? List.of() : List.of(text.substring(at + 2).split("\n", -1));
  }
}
