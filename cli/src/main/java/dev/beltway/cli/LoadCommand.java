package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code beltway load}: requests whose every reply is checked. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Write and read through a proxy or a server, and check every reply: each connection has keys of"
          + " its own and knows what must be in them.",
      ""
    },
    footer = {
      "",
      "A reply is wrong if it is another value than the one written last; a value that is missing",
      "counts as missed, which a cache may. Exits with 3 if a reply was wrong, or was an error (see",
      "--errors-allowed). Keys begin with beltway-load: and expire after ten minutes.",
      "",
      "Example:",
      "  beltway load --port 6380 --seconds 30"
    })
final class LoadCommand implements Callable<Integer> {

  private static final int TTL_SECONDS = 600;
  private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final Terminal terminal;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "${DEFAULT-VALUE} by default.")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "6380",
      description = "${DEFAULT-VALUE} by default.")
  private int port;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description = "How long; ${DEFAULT-VALUE} by default.")
  private int seconds;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "10",
      description = "Connections, each with a thread; ${DEFAULT-VALUE} by default.")
  private int clients;

  @Option(
      names = "--pipeline",
      paramLabel = "N",
      defaultValue = "1",
      description = "Requests sent together; ${DEFAULT-VALUE} by default.")
  private int pipeline;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Keys of each connection; ${DEFAULT-VALUE} by default.")
  private int keys;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Bytes of a value; ${DEFAULT-VALUE} by default.")
  private int bytes;

  @Option(
      names = "--reads",
      paramLabel = "P%",
      defaultValue = "80%",
      description = "How many of the requests read; ${DEFAULT-VALUE} by default.")
  private String reads = "";

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the requests' order; ${DEFAULT-VALUE} by default.")
  private long seed;

  @Option(
      names = "--errors-allowed",
      description = "Error replies and lost connections are counted, and no failure.")
  private boolean errorsAllowed;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Who to log in as, if there is a password in BELTWAY_PASSWORD.")
  private String user = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final AtomicLong done = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private final AtomicLong missed = new AtomicLong();
  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final Histogram micros = new ConcurrentHistogram(MOST_MICROS, 3);
  private volatile @Nullable String example;

  LoadCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws BadInputException {
    check("--seconds", seconds, 1, 86_400);
    check("--clients", clients, 1, 1_000);
    check("--pipeline", pipeline, 1, 10_000);
    check("--keys", keys, 1, 10_000_000);
    check("--bytes", bytes, 0, 64 << 20);
    check("--port", port, 1, 65_535);
    if (!reads.matches("(100|[0-9]{1,2})%")) {
      throw new BadInputException("--reads: " + reads + " is not 0% to 100%");
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    try (PlainClient client = connect(address)) {
      client.ask("PING");
    } catch (IOException e) {
      throw new BadInputException(host + ":" + port + " can't be used: " + e.getMessage());
    }
    List<Thread> threads = new ArrayList<>();
    long began = System.nanoTime();
    long end = began + TimeUnit.SECONDS.toNanos(seconds);
    String run = Long.toUnsignedString(UUID.randomUUID().getMostSignificantBits(), 36);
    for (int i = 0; i < clients; i++) {
      Worker worker = new Worker(address, "beltway-load:" + run + ":" + i + ":", seed + i, end);
      Thread thread = new Thread(worker, "load-" + i);
      thread.start();
      threads.add(thread);
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    double took = (System.nanoTime() - began) / 1e9;
    print(took);
    boolean failed = wrong.get() > 0 || (!errorsAllowed && errors.get() + lost.get() > 0);
    return failed ? ExitCode.LIMIT_NOT_MET : ExitCode.DONE;
  }

  private static void check(String option, long value, long least, long most)
      throws BadInputException {
    if (value < least || value > most) {
      throw new BadInputException(option + ": " + value + " is outside " + least + " to " + most);
    }
  }

  private PlainClient connect(InetSocketAddress address) throws IOException {
    PlainClient client = PlainClient.connect(address, Duration.ofSeconds(10));
    String password = System.getenv("BELTWAY_PASSWORD");
    if (password != null) {
      try {
        client.ask("AUTH", user, password);
      } catch (IOException e) {
        client.close();
        throw e;
      }
    }
    return client;
  }

  private void print(double took) {
    if (json) {
      ObjectNode root = Json.object();
      root.put("requests", done.get());
      root.put("perSecond", done.get() / took);
      root.put("wrong", wrong.get());
      root.put("missed", missed.get());
      root.put("errors", errors.get());
      root.put("lostConnections", lost.get());
      ObjectNode latency = root.putObject("millis");
      for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
        latency.put(
            percentile == 100 ? "max" : "p" + Double.toString(percentile).replaceAll("\\.0$", ""),
            micros.getValueAtPercentile(percentile) / 1000.0);
      }
      terminal.out().print(Json.pretty(root));
      return;
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests in %.1f s, %,.0f a second%n",
            done.get(),
            took,
            done.get() / took);
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "  %s wrong, %,d missed, %s errors, %,d connections lost%n",
            count(wrong.get()),
            missed.get(),
            count(errors.get()),
            lost.get());
    if (example != null) {
      terminal.out().println("  such as: " + example);
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "  %s: p50 %.3f, p90 %.3f, p99 %.3f, p99.9 %.3f, max %.3f ms%n",
            pipeline == 1 ? "a request" : pipeline + " requests",
            micros.getValueAtPercentile(50) / 1000.0,
            micros.getValueAtPercentile(90) / 1000.0,
            micros.getValueAtPercentile(99) / 1000.0,
            micros.getValueAtPercentile(99.9) / 1000.0,
            micros.getMaxValue() / 1000.0);
  }

  private String count(long bad) {
    String text = String.format(Locale.ROOT, "%,d", bad);
    return bad > 0 ? terminal.bad(text) : text;
  }

  /** One connection: it alone writes its keys, so it knows what must be in them. */
  private final class Worker implements Runnable {

    private final InetSocketAddress address;
    private final String prefix;
    private final Random random;
    private final long end;

    /** The number of the value written last to each key; 0 for none, −1 for unknown. */
    private final int[] written = new int[keys];

    private int number;

    Worker(InetSocketAddress address, String prefix, long seed, long end) {
      this.address = address;
      this.prefix = prefix;
      this.random = new Random(seed);
      this.end = end;
    }

    @Override
    public void run() {
      while (System.nanoTime() < end) {
        try (PlainClient client = connect(address)) {
          while (System.nanoTime() < end) {
            batch(client);
          }
        } catch (IOException e) {
          lost.incrementAndGet();
          example = "connection lost: " + e.getMessage();
          if (!errorsAllowed) {
            return;
          }
        }
      }
    }

    private void batch(PlainClient client) throws IOException {
      int[] key = new int[pipeline];
      int[] expected = new int[pipeline];
      boolean[] write = new boolean[pipeline];
      ByteBuf requests = Unpooled.buffer();
      int share = Integer.parseInt(reads.substring(0, reads.length() - 1));
      for (int i = 0; i < pipeline; i++) {
        key[i] = random.nextInt(keys);
        write[i] = random.nextInt(100) >= share;
        if (write[i]) {
          number++;
          written[key[i]] = number;
          RespWriter.request(
              requests,
              bytes("SET"),
              bytes(prefix + key[i]),
              value(key[i], number),
              bytes("EX"),
              bytes(Integer.toString(TTL_SECONDS)));
        } else {
          RespWriter.request(requests, "GET", prefix + key[i]);
        }
        expected[i] = written[key[i]];
      }
      long began = System.nanoTime();
      client.write(requests);
      int answered = 0;
      try {
        for (int i = 0; i < pipeline; i++) {
          check(key[i], expected[i], write[i], client.next());
          answered++;
        }
      } catch (IOException e) {
        // What was written and not answered may be there or not.
        for (int i = answered; i < pipeline; i++) {
          written[key[i]] = write[i] ? -1 : written[key[i]];
        }
        throw e;
      }
      micros.recordValue(
          Math.min(MOST_MICROS, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began)));
      done.addAndGet(pipeline);
    }

    private void check(int key, int expected, boolean write, @Nullable Object reply) {
      if (reply instanceof RespReader.Failed failed) {
        errors.incrementAndGet();
        example = failed.text();
        if (write) {
          written[key] = -1;
        }
        return;
      }
      if (write) {
        if (!RespReader.text(reply).equals("OK")) {
          bad("SET was answered with " + RespReader.text(reply));
        }
      } else if (reply == null) {
        if (expected > 0) {
          missed.incrementAndGet();
        }
      } else if (expected >= 0
          && (expected == 0 || !Arrays.equals((byte[]) reply, value(key, expected)))) {
        bad(prefix + key + " has another value than the one written last");
      }
    }

    private void bad(String text) {
      wrong.incrementAndGet();
      example = text;
    }

    private byte[] value(int key, int value) {
      byte[] filled = new byte[Math.max(bytes, 1)];
      byte[] stamp = bytes(key + "/" + value + "/");
      for (int i = 0; i < filled.length; i++) {
        filled[i] = stamp[i % stamp.length];
      }
      // A stamp longer than the value still tells two values apart.
      return bytes < stamp.length ? stamp : filled;
    }

    private byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
