package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** proxy, load, demo-nodes, import and export, as processes where they go on for long. */
@NullUnmarked // A null where none should be fails the test.
class ProxyCommandsTest {

  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (Process process : processes) {
      process.destroy();
      process.waitFor(15, TimeUnit.SECONDS);
    }
  }

  private Process start(Path folder, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.beltway.cli.Main"));
    command.addAll(Arrays.asList(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectError(folder.resolve(arguments[0] + processes.size() + ".err").toFile())
            .start();
    processes.add(process);
    return process;
  }

  private static String line(Process process) throws IOException {
    return String.valueOf(
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void assertRefused(String message, String... arguments) {
    Cli.Run run = Cli.run(arguments);
    assertThat(run.code()).as(String.join(" ", arguments)).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).as(String.join(" ", arguments)).contains(message).hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void badSettingsAreOneLine(@TempDir Path folder) throws Exception {
    String pool = Cli.example("ten.yaml");
    assertRefused("there is no such file", "proxy", "-t", "nowhere.yaml");
    assertRefused("is not host:port", "proxy", "-t", pool, "--listen", "6380");
    assertRefused("is not host:port", "proxy", "-t", pool, "--listen", "a:99999");
    assertRefused("anybody may do anything", "proxy", "-t", pool, "--listen", "0.0.0.0:0");
    assertRefused("is neither error nor next", "proxy", "-t", pool, "--policy", "both");
    assertRefused("databases 0 is outside 1 to 1024", "proxy", "-t", pool, "--databases", "0");
    assertRefused("loops 99 is outside 1 to 64", "proxy", "-t", pool, "--loops", "99");
    assertRefused("name \"a b\" is not", "proxy", "-t", pool, "--name", "a b");
    assertRefused("go together", "proxy", "-t", pool, "--tls-cert", "x.pem");
    assertRefused("--tls-cert: ", "proxy", "-t", pool, "--tls-cert", "x", "--tls-key", "y");
    assertRefused("--node-ca: ", "proxy", "-t", pool, "--node-ca", "nowhere");
    assertRefused(
        "has no second owner",
        "proxy",
        "-t",
        Cli.example("modulo.yaml"),
        "--policy",
        "next",
        "--state",
        folder.resolve("state").toString());
    assertRefused("--policy next needs --state FILE", "proxy", "-t", pool, "--policy", "next");
    assertRefused("--memory: 0 MB is outside 16", "proxy", "-t", pool, "--memory", "0");
    Path users = folder.resolve("users.yaml");
    Files.writeString(users, "users:\n  - name: a\n    passwords: [secret]\n");
    assertRefused(
        "users.yaml:2: a password of user a is not",
        "proxy",
        "-t",
        pool,
        "--users",
        users.toString());
    Files.writeString(
        users, "users:\n  - name: a\n    anyPassword: true\n    commands: ['+@what']\n");
    assertRefused("category \"what\" is unknown", "proxy", "-t", pool, "--users", users.toString());
    Files.writeString(users, "users:\n  - name: a\n    rights: all\n");
    assertRefused("rights: is not a field here", "proxy", "-t", pool, "--users", users.toString());
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertRefused("can't listen on " + address, "proxy", "-t", pool, "--listen", address);
      assertRefused(
          "--metrics: can't listen there",
          "proxy",
          "-t",
          pool,
          "--listen",
          "127.0.0.1:0",
          "--metrics",
          address);
    }
    assertRefused("can't be used", "load", "--port", Integer.toString(freePort()));
    assertRefused("--pipeline: 0 is outside", "load", "--pipeline", "0");
    assertRefused("allowed are 1 to 64", "demo-nodes", "0");
  }

  @Test
  void poolsGoInAndOut(@TempDir Path folder) throws Exception {
    Path nutcracker = folder.resolve("nutcracker.yml");
    Files.writeString(
        nutcracker,
        "alpha:\n  hash: fnv1a_64\n  redis: true\n  servers: ['10.0.0.1:6379:1 one', '10.0.0.2:6379:2']\n"
            + "beta:\n  servers: ['10.0.0.1:11211:1']\n");
    assertRefused("choose one by --pool: alpha, beta", "import", nutcracker.toString());
    Cli.Run run = Cli.run("import", "--pool", "alpha", nutcracker.toString());
    assertThat(run.code()).as(run.err()).isZero();
    Path pool = folder.resolve("pool.yaml");
    Files.writeString(pool, run.out());
    Cli.Run back = Cli.run("export", "twemproxy", pool.toString(), "--name", "alpha");
    assertThat(back.out()).contains("- 10.0.0.1:6379:1 one", "- 10.0.0.2:6379:2", "hash: fnv1a_64");
    assertThat(Cli.run("route", "-t", pool.toString(), "user:42").code()).isZero();
    assertRefused("and its keys would move", "export", "nginx", pool.toString());
    assertRefused("is none of nginx, haproxy, twemproxy", "export", "envoy", pool.toString());
    assertRefused("there is no such file", "import", "nowhere");
    assertRefused(
        "is none of twemproxy, nginx, haproxy", "import", "--from", "envoy", nutcracker.toString());
    assertRefused("is none of alpha, beta", "import", "--pool", "gamma", nutcracker.toString());
    Path nginx = folder.resolve("n.conf");
    Files.writeString(nginx, "upstream u { hash $uri consistent; server 10.0.0.1:80; }");
    assertThat(Cli.run("import", nginx.toString()).out()).contains("algorithm: nginx");
    Path haproxy = folder.resolve("h.cfg");
    Files.writeString(haproxy, "backend b\n  hash-type consistent\n  server a 10.0.0.1:80\n");
    assertThat(Cli.run("import", haproxy.toString()).out())
        .contains("algorithm: haproxy", "haproxyId: 1");
    Files.writeString(haproxy, "backend b\n  server a 10.0.0.1:80\n");
    assertRefused(
        "line 1: backend b has no \"hash-type consistent\"", "import", haproxy.toString());
  }

  /** What the README shows in three lines. */
  @Test
  @Tag("needs-redis")
  void threeCommandsMakeAPoolThatWorks(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("pool.yaml");
    int first = freePort();
    Process nodes =
        start(
            folder,
            "demo-nodes",
            "3",
            "--port",
            Integer.toString(first),
            "--write",
            file.toString());
    for (int i = 0; i < 1_000 && !Files.exists(file) && nodes.isAlive(); i++) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(file).exists();
    Process proxy =
        start(
            folder,
            "proxy",
            "--topology",
            file.toString(),
            "--listen",
            "127.0.0.1:0",
            "--metrics",
            "127.0.0.1:0");
    String said = line(proxy);
    assertThat(said).startsWith("beltway proxy listens on 127.0.0.1:").contains("3 nodes, epoch 1");
    String[] ports =
        said.replaceAll(".*?127.0.0.1:(\\d+), metrics on 127.0.0.1:(\\d+);.*", "$1 $2").split(" ");
    Cli.Run load =
        Cli.run("load", "--port", ports[0], "--seconds", "2", "--pipeline", "4", "--bytes", "1000");
    assertThat(load.code()).as(load.out() + load.err()).isZero();
    assertThat(load.out()).contains("0 wrong", "0 errors", "0 connections lost");
    Cli.Run json = Cli.run("load", "--port", ports[0], "--seconds", "1", "--json");
    assertThat(json.out()).contains("\"wrong\" : 0", "\"p99.9\"");
    HttpResponse<String> metrics =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports[1] + "/metrics"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(metrics.body()).contains("beltway_node_up{node=\"node-a\"} 1.0", "jvm_memory");
    InetSocketAddress address =
        InetSocketAddress.createUnresolved("127.0.0.1", Integer.parseInt(ports[0]));
    try (PlainClient client = PlainClient.connect(address, Duration.ofSeconds(10))) {
      // A topology that moves keys is refused, and what is obeyed stays.
      String text = Files.readString(file);
      Files.writeString(file, text.replace("node-c", "node-x").replace("epoch: 1", "epoch: 2"));
      Path log = folder.resolve("proxy1.err");
      for (int i = 0; i < 500 && !Files.readString(log).contains("would move keys"); i++) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(Files.readString(log)).contains("would move keys").contains("\"level\":\"ERROR\"");
      assertThat(RespReader.text(client.ask("PING"))).isEqualTo("PONG");
      // SIGTERM ends it, and tells nobody a fault.
      proxy.destroy();
      assertThat(proxy.waitFor(15, TimeUnit.SECONDS)).isTrue();
      assertThat(proxy.exitValue()).isIn(0, 143);
    }
    nodes.destroy();
    assertThat(nodes.waitFor(15, TimeUnit.SECONDS)).isTrue();
  }
}
