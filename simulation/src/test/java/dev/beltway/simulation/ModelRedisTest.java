package dev.beltway.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.handover.ErrorReply;
import dev.beltway.handover.Names;
import dev.beltway.handover.Script;
import dev.beltway.handover.Transfer;
import dev.beltway.handover.TransferToken;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The model server does what a real one does, with the very commands of the hand-over. */
@Tag("needs-redis")
@NullUnmarked
class ModelRedisTest {

  private static final int COMMANDS = 3_000;
  private static final long SEED = Long.getLong("beltway.seed", 1);

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Process start(int port) throws IOException {
    Process process =
        new ProcessBuilder(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--databases",
                "2",
                "--save",
                "",
                "--requirepass",
                ModelRedis.ADMIN_PASSWORD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }

  private static PlainClient client(int port) throws IOException {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (true) {
      try {
        return PlainClient.connect(
            InetSocketAddress.createUnresolved("127.0.0.1", port), Duration.ofSeconds(5));
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  private static Object real(PlainClient client, List<String> words) throws IOException {
    byte[][] bytes = new byte[words.size()][];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = words.get(i).getBytes(StandardCharsets.ISO_8859_1);
    }
    return read(client.tell(bytes));
  }

  private static Object read(Object reply) {
    if (reply instanceof byte[] bytes) {
      return RespReader.text(bytes);
    } else if (reply instanceof RespReader.Failed failed) {
      return new ErrorReply(failed.text());
    } else if (reply instanceof List<?> list) {
      List<Object> all = new ArrayList<>();
      list.forEach(each -> all.add(read(each)));
      return all;
    }
    return reply;
  }

  /** What matters of a reply: of errors, which kind. */
  private static String shown(Object reply, List<String> words) {
    if (reply instanceof ErrorReply error) {
      String text = error.text();
      for (String kind :
          List.of("BELTWAYTOKEN", "BELTWAYBROKEN", "BELTWAYNOTTAKEN", "NOSCRIPT", "NOAUTH")) {
        if (text.startsWith(kind)) {
          return kind;
        }
      }
      return text.startsWith("ERR no such key") ? "no such key" : "error";
    }
    if (words.get(0).equals("EVALSHA") && reply instanceof List<?> answer) {
      return counted(words.get(1), new ArrayList<>(answer));
    }
    if (words.get(0).equals("SCAN") && reply instanceof List<?> both) {
      List<String> keys = new ArrayList<>();
      ((List<?>) both.get(1)).forEach(key -> keys.add(String.valueOf(key)));
      keys.removeAll(List.of(Names.MOVED, Names.WANTED)); // The model doesn't count.
      keys.sort(null);
      return keys.toString();
    }
    if (words.get(0).equals("ACL") && reply instanceof List<?> users) {
      List<String> names = new ArrayList<>();
      users.forEach(user -> names.add(String.valueOf(user)));
      names.sort(null);
      return names.toString();
    }
    return String.valueOf(reply);
  }

  /** Without what the model doesn't count: keys and bytes that have left, sizes, times. */
  private static String counted(String sha, List<Object> answer) {
    boolean transfers = sha.equals(Transfer.SHA);
    boolean counts = transfers || sha.equals(Script.COMPARE.sha()) || answer.get(0) instanceof Long;
    if (answer.size() == 1) {
      return answer.toString();
    } else if (counts) {
      answer.set(transfers ? 1 : 0, "counted");
      answer.set(transfers ? 2 : 1, "counted");
    } else if (answer.size() > 3) { // seal
      answer.set(1, "bytes");
      answer.set(2, answer.get(2).equals("-1") ? "for ever" : "deadline");
    }
    return answer.toString();
  }

  @Test
  void modelAnswersAsARealServerDoes() throws IOException {
    int sourcePort = freePort();
    int targetPort = freePort();
    Process source = start(sourcePort);
    Process target = start(targetPort);
    try {
      Pair pair = new Pair(sourcePort, targetPort);
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < COMMANDS; i++) {
        pair.step(random, i);
      }
    } finally {
      source.destroyForcibly();
      target.destroyForcibly();
    }
  }

  /** Two model servers beside two real ones, with two connections to each. */
  private static final class Pair {

    private final String place;
    private final ModelRedis modelTarget;
    private final ModelRedis modelSource;
    private final List<ModelRedis.Connection> models = new ArrayList<>();
    private final List<PlainClient> reals = new ArrayList<>();
    private final List<Boolean> ofSource = new ArrayList<>();

    Pair(int sourcePort, int targetPort) throws IOException {
      place = "127.0.0.1:" + targetPort;
      ModelRedis[] target = new ModelRedis[1];
      ModelRedis.Wire wire =
          (from, at, user, password, database, keys, replace) -> {
            if (!target[0].mayLogin(user, ModelRedis.sha256(password))) {
              return new ErrorReply("ERR Target instance replied with error: NOAUTH");
            }
            List<String> busy = new ArrayList<>();
            for (Map.Entry<String, ModelRedis.Value> each : keys.entrySet()) {
              if (!target[0].restore(database, each.getKey(), each.getValue(), replace)) {
                busy.add(each.getKey());
              }
            }
            return busy.isEmpty()
                ? null
                : new ErrorReply(
                    "ERR Target instance replied with error: BUSYKEY Target key name already"
                        + " exists. \n"
                        + String.join("\n", busy));
          };
      modelSource = new ModelRedis("s", 2, false, Set.of(), wire, Flaws.NONE);
      modelTarget = new ModelRedis("t", 2, false, Set.of(), wire, Flaws.NONE);
      target[0] = modelTarget;
      for (int i = 0; i < 4; i++) {
        boolean source = i < 2;
        ofSource.add(source);
        models.add((source ? modelSource : modelTarget).connect());
        reals.add(client(source ? sourcePort : targetPort));
        both(i, List.of("AUTH", ModelRedis.ADMIN_PASSWORD));
      }
      for (Script script : Script.values()) {
        loads(0, script);
        loads(2, script);
      }
      for (int connection : new int[] {0, 2}) {
        both(connection, List.of("SELECT", "1"));
        both(connection, List.of("SET", "__beltway:term", "1"));
        both(connection, List.of("SELECT", "0"));
      }
    }

    /** The model knows all scripts by one name. */
    private void loads(int connection, Script script) throws IOException {
      List<String> load = List.of("SCRIPT", "LOAD", script.text());
      assertThat(real(reals.get(connection), load)).isEqualTo(script.sha());
      model(connection).execute(models.get(connection), load);
    }

    private ModelRedis model(int connection) {
      return ofSource.get(connection) ? modelSource : modelTarget;
    }

    private void both(int connection, List<String> words) throws IOException {
      ModelRedis model = ofSource.get(connection) ? modelSource : modelTarget;
      String expected = shown(real(reals.get(connection), words), words);
      String answered = shown(model.execute(models.get(connection), words), words);
      assertThat(answered)
          .as("%s on connection %d; replay with -Dbeltway.seed=%d", words, connection, SEED)
          .isEqualTo(expected);
    }

    void step(SplittableRandom random, int number) throws IOException {
      int connection = random.nextInt(4);
      String key = "k" + random.nextInt(4);
      String other = "k" + random.nextInt(4);
      switch (random.nextInt(30)) {
        case 0, 1 -> both(connection, List.of("SET", key, "v" + number));
        case 2 -> both(connection, List.of("SET", key, "v" + number, "PX", "1000000"));
        case 3, 4 -> both(connection, List.of("GET", key));
        case 5 -> both(connection, List.of("DEL", key, other.equals(key) ? "none" : other));
        case 6 -> both(connection, List.of("EXISTS", key));
        case 7 -> both(connection, List.of("INCR", "n" + key));
        case 8 -> {
          if (!key.equals(other)) {
            both(connection, List.of("RENAME", key, other));
          }
        }
        case 9 -> both(connection, List.of("SELECT", Integer.toString(random.nextInt(3))));
        case 10 -> both(connection, List.of("SCAN", "0", "COUNT", "1000"));
        case 11 -> guarded(connection, number, random);
        case 12 -> both(connection, List.of("ACL", "USERS"));
        case 13 -> both(connection, List.of("ACL", "DELUSER", "xfer-1-0-s"));
        case 14 ->
            both(2, List.of("ACL", "SETUSER", "xfer-1-0-s", "reset", "on", ">pw", "~*", "+@all"));
        case 15 -> token(random);
        case 16 -> both(connection, List.of("CLIENT", "KILL", "ID", "999999"));
        case 17 -> {
          both(1, List.of("SELECT", "1"));
          both(1, List.of("DEL", "__beltway:token"));
          both(1, List.of("SELECT", "0"));
        }
        case 18, 19, 20, 21 -> big(random, key);
        case 22, 23 -> compare(random);
        default -> {
          int database = random.nextInt(2);
          TransferToken shown = new TransferToken(1, random.nextInt(2), "run");
          List<String> keys = random.nextBoolean() ? List.of(key) : List.of("k0", "k1", "k2");
          // A database that only one of two real servers' keys are in is tried as well.
          both(0, Transfer.command(shown, 1, "t", 500, database, keys, random.nextInt(4) == 0));
        }
      }
    }

    private void big(SplittableRandom random, String key) throws IOException {
      String term = random.nextInt(8) == 0 ? "2" : "1";
      String token = "1." + random.nextInt(2) + ".run";
      switch (random.nextInt(8)) {
        case 0 -> big(random.nextInt(2) * 2, "unseal", "1", term);
        case 1, 2 -> big(0, "seal", "1", term, token, "0", key);
        case 3 -> big(0, "mark", "1", term, token, "0", key);
        case 4 -> big(0, "drop", "1", term, token, "0", key, "t", "10");
        case 5 -> big(2, "begin", "1", term, "one", "s");
        case 6 -> big(2, "stage", "1", term, "one", "s", "3", "APPEND", Names.STAGING + "s", key);
        default -> {
          String left = random.nextBoolean() ? "-1" : "999999999";
          String attempt = random.nextInt(4) == 0 ? "two" : "one";
          big(2, "finish", "1", term, attempt, "s", "0", key, left);
        }
      }
    }

    private void big(int connection, String... words) throws IOException {
      List<String> command = Script.BIG.command(List.of(), List.of(words));
      both(connection, command);
    }

    /** Digests are the model's own; what is done with them is the same. */
    private void compare(SplittableRandom random) throws IOException {
      List<String> keys = List.of("k0", "k1", "k2");
      List<String> read = Script.COMPARE.command(keys, List.of("READ", "1", "0"));
      List<?> real = (List<?>) real(reals.get(0), read);
      List<?> modelled = (List<?>) modelSource.execute(models.get(0), read);
      List<String> drop = List.of("DROP", "1", "0", "1." + random.nextInt(2) + ".run", "t");
      List<String> realDrop = new ArrayList<>(drop);
      List<String> modelledDrop = new ArrayList<>(drop);
      for (int i = 0; i < keys.size(); i++) {
        String digest = String.valueOf(real.get(2 * i));
        String other = String.valueOf(modelled.get(2 * i));
        assertThat(digest.isEmpty()).isEqualTo(other.isEmpty());
        boolean wrong = random.nextInt(4) == 0;
        realDrop.add(wrong ? "x" : digest);
        modelledDrop.add(wrong ? "x" : other);
      }
      List<String> command = Script.COMPARE.command(keys, realDrop);
      String expected = shown(real(reals.get(0), command), command);
      List<String> same = Script.COMPARE.command(keys, modelledDrop);
      assertThat(shown(modelSource.execute(models.get(0), same), same)).isEqualTo(expected);
    }

    private void token(SplittableRandom random) throws IOException {
      String host = place.substring(0, place.indexOf(':'));
      int port = Integer.parseInt(place.substring(place.indexOf(':') + 1));
      both(1, List.of("SELECT", "1"));
      both(1, List.of("DEL", "__beltway:token", "__beltway:token:broken"));
      both(
          1,
          List.of(
              "HSET",
              "__beltway:token",
              "text",
              "1." + random.nextInt(2) + ".run",
              "to:t",
              Transfer.place(host, port, "xfer-1-0-s", "pw")));
      both(1, List.of("SELECT", "0"));
    }

    /** As orders are given: watched, so that a change in between undoes them. */
    private void guarded(int connection, int number, SplittableRandom random) throws IOException {
      both(connection, List.of("WATCH", "term"));
      if (random.nextInt(3) == 0) {
        both(connection ^ 1, List.of("SET", "term", Integer.toString(number)));
      }
      both(connection, List.of("GET", "term"));
      both(connection, List.of("MULTI"));
      both(connection, List.of("SET", "done", Integer.toString(number)));
      both(connection, List.of("GET", "done"));
      both(connection, List.of("EXEC"));
    }
  }
}
