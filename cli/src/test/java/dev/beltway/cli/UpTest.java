package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code beltway up} as a process of its own, and what is left when it ends this way or that. */
@Tag("long")
@NullUnmarked
@Timeout(180)
class UpTest {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Process each : started) {
      each.destroy();
      if (!each.waitFor(30, TimeUnit.SECONDS)) {
        each.destroyForcibly();
      }
    }
  }

  /** One that is ready. */
  private final class Up {

    final Path out = folder.resolve("out" + started.size());
    final Process process;

    Up(String... options) throws IOException {
      List<String> words =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-Xmx256m",
                  "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  "up"));
      words.addAll(List.of(options));
      process =
          new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(out.toFile()).start();
      started.add(process);
      await(
          "it is ready",
          () -> {
            assertThat(process.isAlive()).as(Files.readString(out)).isTrue();
            return text().contains("Ctrl-C ends all of it");
          });
    }

    String text() throws IOException {
      return Files.readString(out);
    }

    String found(String pattern) throws IOException {
      Matcher matcher = Pattern.compile(pattern).matcher(text());
      assertThat(matcher.find()).as(text()).isTrue();
      return matcher.group(1);
    }

    String control() throws IOException {
      return found("console  http://(127.0.0.1:[0-9]+)");
    }

    /** Its Redis servers, by what they call themselves. */
    List<ProcessHandle> servers() {
      return children().filter(UpTest::isServer).toList();
    }

    Stream<ProcessHandle> children() {
      return process.descendants();
    }
  }

  private static boolean isServer(ProcessHandle each) {
    return each.info().command().orElse("").contains("redis");
  }

  /** Those that watch before those that this process has started, whose ends it notices. */
  private static int rank(Process up, ProcessHandle each) {
    return each.parent().map(parent -> parent.pid() == up.pid()).orElse(false) ? 1 : 0;
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws IOException {
    long deadline = System.nanoTime() + PATIENCE;
    try {
      while (!condition.holds()) {
        assertThat(System.nanoTime()).as(what).isLessThan(deadline);
        TimeUnit.MILLISECONDS.sleep(5);
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String[] ports(String... more) throws IOException {
    List<String> words = new ArrayList<>();
    try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      words.addAll(List.of("--port", "" + Math.min(one.getLocalPort(), 64_000)));
      words.addAll(List.of("--proxy-port", "" + Math.min(two.getLocalPort(), 64_000)));
    }
    words.addAll(List.of(more));
    return words.toArray(new String[0]);
  }

  private static void done(Up up, String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--control", up.control()));
    Cli.Run run = Cli.run(all.toArray(new String[0]));
    assertThat(run.code()).as("%s%s", run.out(), run.err()).isZero();
  }

  @Test
  void aNodeIsAddedAndTakenBackUnderLoadAndNothingIsLeft() throws Exception {
    Up up = new Up(ports());
    assertThat(up.servers()).hasSize(3);
    done(up, "node", "add", "node-d");
    assertThat(up.servers()).hasSize(4);
    // Nothing is started for a name that leads elsewhere, for a change on paper, or a refused one.
    for (String id : List.of("../../x", "/tmp/x", "a/b", "..", "a b", "x".repeat(65))) {
      Cli.Run run = Cli.run("node", "add", id, "--control", up.control());
      assertThat(run.code()).as(id).isEqualTo(ExitCode.BAD_INPUT);
      assertThat(run.err()).contains("a server can't be started for the id");
    }
    done(up, "node", "add", "node-e", "--dry-run");
    assertThat(Cli.run("node", "add", "node-e", "--weight", "-1", "--control", up.control()).code())
        .isEqualTo(ExitCode.BAD_INPUT);
    assertThat(up.servers()).hasSize(4);
    done(up, "rollback", "1");
    done(up, "scrub");
    List<ProcessHandle> children = up.children().toList();
    up.process.destroy(); // SIGTERM
    assertThat(up.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(up.found("the load has ended after ([0-9,]+) requests")).isNotEqualTo("0");
    assertThat(up.text()).contains(" requests: 0 misses, 0 wrong values, 0 errors");
    assertThat(children).hasSizeGreaterThan(4).noneMatch(ProcessHandle::isAlive);
    assertThat(folder.resolve("tmp")).isEmptyDirectory();
  }

  @Test
  void aKilledOneTakesItsServersWithIt() throws Exception {
    Up up = new Up(ports("--no-load"));
    List<ProcessHandle> servers = up.servers();
    assertThat(servers).hasSize(3);
    up.process.destroyForcibly();
    await("the servers have ended", () -> servers.stream().noneMatch(ProcessHandle::isAlive));
    // Its folder is cleaned by the next one.
    Up next = new Up(ports("--no-load"));
    try (Stream<Path> folders = Files.list(folder.resolve("tmp"))) {
      assertThat(folders.filter(each -> each.toString().contains("beltway-up-"))).hasSize(1);
    }
    assertThat(next.servers()).hasSize(3);
  }

  @Test
  void serversThatSurviveAreEndedByTheNextStartAndNoOthers() throws Exception {
    String data = folder.resolve("kept").toString();
    String[] options = ports("--no-load", "--data", data);
    Up up = new Up(options);
    done(up, "node", "add", "node-d");
    List<ProcessHandle> servers = up.servers();
    Up other = new Up(ports("--no-load"));
    List<ProcessHandle> others = other.servers();
    // The shells that would end them die first.
    List<ProcessHandle> shells =
        up.children()
            .filter(each -> !isServer(each))
            .sorted(Comparator.comparing(each -> rank(up.process, each)))
            .toList();
    shells.forEach(ProcessHandle::destroyForcibly);
    up.process.destroyForcibly();
    await("shells are gone", () -> shells.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(servers).hasSize(4).allMatch(ProcessHandle::isAlive);

    Up next = new Up(options);
    assertThat(next.text()).contains("ended node-a of an earlier run", "ended node-d of an");
    assertThat(servers).noneMatch(ProcessHandle::isAlive);
    assertThat(others).hasSize(3).allMatch(ProcessHandle::isAlive);
    assertThat(next.servers()).hasSize(4);
    // It goes on where it was.
    Cli.Run status = Cli.run("status", "--control", next.control());
    assertThat(status.out()).contains("steady, epoch 2", "node-d");
  }

  @Test
  void portsInUseAreNamedAndAvoided() throws Exception {
    Up first = new Up(ports("--no-load"));
    String control = first.control().substring("127.0.0.1:".length());
    String proxy = first.found("redis-cli -p ([0-9]+)");
    Up second = new Up("--no-load", "--port", control, "--proxy-port", proxy);
    assertThat(second.text())
        .contains("port " + control + " is in use: the console is on ")
        .contains("port " + proxy + " is in use: proxy 1 is on ");
    assertThat(second.control()).isNotEqualTo(first.control());
  }

  @Test
  void aFolderHasOneCluster() throws Exception {
    String data = folder.resolve("kept").toString();
    new Up(ports("--no-load", "--data", data));
    Cli.Run run = Cli.run("up", "--data", data);
    assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(run.err()).startsWith("beltway: another beltway up runs with ").hasLineCount(1);
  }

  @Test
  void whatCantBeAskedForIsOneLine() {
    for (String[] words :
        new String[][] {{"--port", "0"}, {"--proxy-port", "70000"}, {"--data", "/dev/null/x"}}) {
      Cli.Run run = Cli.run("up", words[0], words[1]);
      assertThat(run.code()).isEqualTo(ExitCode.BAD_INPUT);
      assertThat(run.err()).hasLineCount(1);
    }
  }
}
