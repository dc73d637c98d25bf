package dev.beltway.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.handover.ErrorReply;
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
    if (words.get(0).equals("SCAN") && reply instanceof List<?> both) {
      List<String> keys = new ArrayList<>();
      ((List<?>) both.get(1)).forEach(key -> keys.add(String.valueOf(key)));
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
      modelSource = new ModelRedis("s", 2, false, wire, Flaws.NONE);
      modelTarget = new ModelRedis("t", 2, false, wire, Flaws.NONE);
      target[0] = modelTarget;
      for (int i = 0; i < 4; i++) {
        boolean source = i < 2;
        ofSource.add(source);
        models.add((source ? modelSource : modelTarget).connect());
        reals.add(client(source ? sourcePort : targetPort));
        both(i, List.of("AUTH", ModelRedis.ADMIN_PASSWORD));
      }
      both(0, List.of("SCRIPT", "LOAD", Transfer.SCRIPT));
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
      switch (random.nextInt(22)) {
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
        default -> {
          int database = random.nextInt(2);
          TransferToken shown = new TransferToken(1, random.nextInt(2), "run");
          List<String> keys = random.nextBoolean() ? List.of(key) : List.of("k0", "k1", "k2");
          // A database that only one of two real servers' keys are in is tried as well.
          both(0, Transfer.command(shown, 1, "t", 500, database, keys));
        }
      }
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
