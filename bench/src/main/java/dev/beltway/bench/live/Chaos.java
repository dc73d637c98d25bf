package dev.beltway.bench.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.beltway.resp.client.PlainClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A live cluster whose topology changes over and over while everything is killed, stopped and cut
 * off, and sixteen clients know of every operation what must have become of it. Servers write each
 * command to disk, so that nothing that was acknowledged may be lost.
 */
public final class Chaos {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 16;
  private static final int NODES = 5;
  private static final int FILLER = 20_000;
  private static final int PATIENCE_SECONDS = 150;

  private final Cluster cluster = new Cluster("chaos");
  private final Ledger ledger = new Ledger();
  private final SplittableRandom random;
  private final long seed;
  private final List<Cluster.Server> nodes = new ArrayList<>();
  private final List<Relay> relays = new ArrayList<>();
  private final List<Cluster.Server> controls = new ArrayList<>();
  private final List<Cluster.Server> proxies = new ArrayList<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicBoolean calm = new AtomicBoolean();

  /** Nothing fails for a while, since a change has not come to an end through so many faults. */
  private final AtomicBoolean lull = new AtomicBoolean();

  private Chaos(long seed) throws IOException {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs it; ends with 1 if anything went wrong.
   *
   * @param arguments minutes, and a seed for the order of faults and changes
   */
  public static void main(String[] arguments) throws Exception {
    double minutes = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 10;
    long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime() % 100_000;
    System.out.println("chaos for " + minutes + " minutes, seed " + seed);
    Chaos chaos = new Chaos(seed);
    boolean clean;
    try (Cluster cluster = chaos.cluster) {
      clean = chaos.run((long) (minutes * 60_000));
      System.out.println("logs are in " + cluster.folder());
    }
    System.exit(clean ? 0 : 1);
  }

  private String address(int node) {
    return relays.get(node).address();
  }

  private String topology(String placement, int count) {
    StringBuilder text = new StringBuilder("version: 1\nplacement: " + placement + "\nnodes:\n");
    for (int i = 0; i < count; i++) {
      text.append("  - { id: n").append(i).append(", address: \"").append(address(i));
      text.append("\" }\n");
    }
    return text.toString();
  }

  private boolean run(long millis) throws Exception {
    for (int i = 0; i < NODES; i++) {
      nodes.add(cluster.redis("n" + i, "--appendonly", "yes", "--appendfsync", "always"));
      relays.add(new Relay(nodes.get(i).port()));
    }
    Cluster.Server zooKeeper = cluster.zooKeeper();
    Relay toStore = new Relay(zooKeeper.port());
    relays.add(toStore);
    Path file = cluster.folder().resolve("pool.yaml");
    Files.writeString(file, topology("{ algorithm: modulo, hash: crc32, hashTags: true }", 3));
    for (int i = 0; i < 2; i++) {
      controls.add(cluster.control("control" + i, file, toStore.address()).await());
    }
    for (int i = 0; i < 2; i++) {
      proxies.add(cluster.proxy("proxy" + i, controls.get(i)));
    }
    for (Cluster.Server proxy : proxies) {
      proxy.await();
    }
    cluster.await(controls.get(0), "the proxies", 60, Cluster.proxies(2));
    try (PlainClient client = proxies.get(0).connect()) {
      for (int i = 0; i < FILLER; i += 500) {
        String[] words = new String[1_001];
        words[0] = "MSET";
        for (int j = 0; j < 500; j++) {
          words[1 + 2 * j] = "filler:" + (i + j);
          words[2 + 2 * j] = "value " + (i + j);
        }
        client.ask(words);
      }
    }
    List<ChaosClient> clients = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      ChaosClient client =
          new ChaosClient(
              i, ledger, attempt -> proxies.get(attempt % proxies.size()).connect(), seed);
      clients.add(client);
      threads.add(thread("client-" + i, () -> client.run(stop::get)));
    }
    Thread faults = thread("faults", this::faults);
    Thread changes = thread("changes", this::changes);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end && ledger.isClean()) {
      Cluster.pause(500);
    }
    calm.set(true);
    faults.join();
    changes.join();
    JsonNode last = settle();
    stop.set(true);
    for (Thread each : threads) {
      each.join(120_000);
      if (each.isAlive()) {
        ledger.wrong(Ledger.Wrong.STUCK, each.getName() + " does not end");
      }
    }
    if (last != null) {
      clients.forEach(ChaosClient::judge);
      filler();
      scrub(last);
    }
    ledger.print();
    return ledger.isClean();
  }

  private static Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  // ---------------------------------------------------------------- faults

  private void faults() {
    SplittableRandom own = random.split();
    while (!calm.get()) {
      Cluster.pause(300 + own.nextInt(2_500));
      if (lull.get()) {
        continue;
      }
      try {
        fault(own);
      } catch (IOException e) {
        System.out.println("a fault could not be made: " + e.getMessage());
      }
    }
  }

  private void fault(SplittableRandom own) throws IOException {
    switch (own.nextInt(10)) {
      case 0 -> kill("kill control", controls.get(own.nextInt(2)), own.nextInt(2_000));
      case 1 -> kill("kill proxy", proxies.get(own.nextInt(2)), own.nextInt(1_000));
      case 2, 3 -> kill("kill node", nodes.get(own.nextInt(NODES)), own.nextInt(1_000));
      case 4, 5 -> halt("stop node", nodes.get(own.nextInt(NODES)), 100 + own.nextInt(2_500));
      case 6 -> halt("stop control", controls.get(own.nextInt(2)), 500 + own.nextInt(8_000));
      case 7 -> halt("stop proxy", proxies.get(own.nextInt(2)), 500 + own.nextInt(4_000));
      case 8 -> {
        ledger.fault("cut all connections");
        relays.get(own.nextInt(relays.size())).cutAll();
      }
      default -> {
        ledger.fault("cut a connection");
        for (int i = 0; i < 3; i++) {
          relays.get(own.nextInt(relays.size())).cutOne(own);
        }
      }
    }
  }

  private void kill(String kind, Cluster.Server server, int millis) throws IOException {
    ledger.fault(kind);
    server.signal("KILL");
    Cluster.pause(millis);
    server.start();
    server.await();
  }

  private void halt(String kind, Cluster.Server server, int millis) throws IOException {
    ledger.fault(kind);
    server.signal("STOP");
    Cluster.pause(millis);
    server.signal("CONT");
  }

  // ---------------------------------------------------------------- changes

  /** Asks whichever control process answers. */
  private Cluster.Answer ask(String method, String path, String body) throws IOException {
    IOException last = null;
    for (int i = 0; i < 60; i++) {
      try {
        Cluster.Answer answer = cluster.ask(controls.get(i % 2), method, path, body);
        if (answer.status() != 503) {
          return answer;
        }
        last = new IOException(String.valueOf(answer.body()));
      } catch (IOException e) {
        last = e;
      }
      Cluster.pause(250);
    }
    throw last == null ? new IOException("nobody answers") : last;
  }

  private void changes() {
    SplittableRandom own = random.split();
    while (!calm.get()) {
      try {
        change(own);
        Cluster.pause(own.nextInt(1_500));
      } catch (IOException e) {
        if (!calm.get()) {
          ledger.wrong(Ledger.Wrong.STUCK, String.valueOf(e.getMessage()));
        }
        return;
      }
    }
  }

  private static String options(SplittableRandom own) {
    String options = "\"keysPerSecond\":" + List.of(0, 2_000, 8_000).get(own.nextInt(3));
    return switch (own.nextInt(5)) {
      case 0 -> options + ",\"canary\":0.1";
      case 1 -> options + ",\"verify\":true";
      default -> options;
    };
  }

  private void change(SplittableRandom own) throws IOException {
    JsonNode status = ask("GET", "/v1/status", "").body();
    int count = status.path("nodes").size();
    int last = count - 1;
    Cluster.Answer answer;
    String kind;
    int which = own.nextInt(10);
    boolean steps = own.nextInt(6) == 0;
    if (which < 3 && count < NODES) {
      kind = "add node";
      String step = steps ? ",\"step\":0.5" : "";
      answer =
          ask(
              "POST",
              "/v1/nodes",
              "{\"id\":\"n"
                  + count
                  + "\",\"address\":\""
                  + address(count)
                  + "\","
                  + options(own)
                  + step
                  + "}");
    } else if (which < 6 && count > 3) {
      kind = "remove node";
      answer = ask("DELETE", "/v1/nodes/n" + last, "");
    } else if (which < 8) {
      kind = "weight";
      double weight = List.of(0.5, 1.0, 2.0).get(own.nextInt(3));
      answer =
          ask(
              "PATCH",
              "/v1/nodes/n" + own.nextInt(count),
              "{\"weight\":" + weight + "," + options(own) + "}");
    } else if (which == 8) {
      String placement =
          own.nextBoolean()
              ? "{ algorithm: ring, hashTags: true }"
              : "{ algorithm: modulo, hash: crc32, hashTags: true }";
      kind = "another placement";
      answer = ask("PUT", "/v1/topology", topology(placement, count));
    } else {
      kind = "rollback";
      long epoch = status.path("epoch").asLong();
      long to = Math.max(1, epoch - 1 - own.nextInt(2));
      answer = ask("POST", "/v1/rollback", "{\"to\":" + to + "," + options(own) + "}");
    }
    if (answer.status() != 202) {
      ledger.change(kind + ", not accepted");
      return;
    }
    ledger.change(kind);
    if (own.nextInt(4) == 0) {
      Cluster.pause(own.nextInt(2_500));
      Cluster.Answer aborted = ask("POST", "/v1/abort", "");
      ledger.change(aborted.status() == 200 ? "abort" : "abort, too late");
    }
    await(PATIENCE_SECONDS);
  }

  /** Waits until nothing is going on; whatever was paused goes on. */
  private JsonNode await(int seconds) throws IOException {
    long begun = System.nanoTime();
    long deadline = begun + TimeUnit.SECONDS.toNanos(seconds);
    JsonNode status = JSON.createObjectNode();
    while (System.nanoTime() < deadline) {
      if (!lull.get() && System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(60)) {
        ledger.change("a lull, to let it end");
        lull.set(true);
      }
      status = ask("GET", "/v1/status", "").body();
      if (Cluster.steady(0).test(status)) {
        lull.set(false);
        return status;
      }
      if (!status.path("pause").asText().isEmpty()) {
        ledger.change("resume");
        ask("POST", "/v1/resume", "");
      }
      Cluster.pause(100);
    }
    throw new IOException(
        String.format(Locale.ROOT, "no end of a change in %d s: %s", seconds, status));
  }

  // ---------------------------------------------------------------- the end

  private @Nullable JsonNode settle() throws IOException {
    for (List<Cluster.Server> all : List.of(nodes, controls, proxies)) {
      for (Cluster.Server server : all) {
        server.signal("CONT");
        if (!server.isAlive()) {
          server.start();
        }
        server.await();
      }
    }
    try {
      JsonNode status = await(PATIENCE_SECONDS);
      cluster.await(controls.get(0), "both proxies", 60, Cluster.proxies(2));
      return status;
    } catch (IOException e) {
      ledger.wrong(Ledger.Wrong.STUCK, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private void filler() throws IOException {
    try (PlainClient client = proxies.get(1).connect()) {
      for (int i = 0; i < FILLER; i += 500) {
        String[] words = new String[501];
        words[0] = "MGET";
        for (int j = 0; j < 500; j++) {
          words[1 + j] = "filler:" + (i + j);
        }
        List<?> values = Cluster.list(client.ask(words));
        for (int j = 0; j < 500; j++) {
          Object value = values.get(j);
          String text =
              value instanceof byte[] bytes
                  ? new String(bytes, java.nio.charset.StandardCharsets.US_ASCII)
                  : "";
          if (!text.equals("value " + (i + j))) {
            ledger.wrong(Ledger.Wrong.LOST, "filler:" + (i + j) + " is \"" + text + "\"");
          }
        }
      }
    }
  }

  /** Every key is on its owner, and only there. */
  private void scrub(JsonNode status) throws IOException {
    long number = ask("POST", "/v1/scrub", "{}").body().path("number").asLong();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    JsonNode found = status;
    while (System.nanoTime() < deadline) {
      found = ask("GET", "/v1/scrub", "").body();
      if (found.path("number").asLong() == number && found.path("ended").asBoolean()) {
        TreeMap<String, JsonNode> byNode = new TreeMap<>();
        found.path("nodes").properties().forEach(e -> byNode.put(e.getKey(), e.getValue()));
        for (JsonNode node : byNode.values()) {
          if (node.path("duplicates").asLong() + node.path("orphans").asLong() > 0) {
            ledger.wrong(Ledger.Wrong.DUPLICATED, "not on its owner: " + node.path("names"));
          }
        }
        return;
      }
      Cluster.pause(100);
    }
    ledger.wrong(Ledger.Wrong.STUCK, "the scrub does not end: " + found);
  }
}
