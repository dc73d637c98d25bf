package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Cookie;

/** Logging in at the console, and what it does when control is lost and comes back. */
@Tag("needs-chromium")
@Tag("long")
@NullUnmarked
@Timeout(180)
class ConsoleSessionTest {

  @TempDir Path folder;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String sha256(String key) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
  }

  private ControlServer start(int store) throws Exception {
    Path keys = folder.resolve("keys.txt");
    Files.writeString(keys, "vera view " + sha256("look") + "\nolaf operate " + sha256("work"));
    return ControlServer.start(
        new ControlServer.Setup(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.of(new ControlServer.Embedded(folder.resolve("zk"), "127.0.0.1", store)),
            "127.0.0.1:" + store,
            "test",
            "opensesame",
            ApiKeys.read(keys),
            null,
            NodeSettings.plain("control"),
            15,
            folder.resolve("kept"),
            "test"),
        Optional.of(
            new Topology(1, RingRule.DEFAULT, List.of(Node.of("n0").withAddress("127.0.0.1:1")))));
  }

  /** Passes bytes on to a port that may change, or nothing at all. */
  private static final class Relay implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int target;

    Relay(int target) throws IOException {
      this.target = target;
      daemon(
          () -> {
            while (true) {
              Socket from = server.accept();
              if (this.target == 0) {
                from.close();
              } else {
                try {
                  Socket to = new Socket(InetAddress.getLoopbackAddress(), this.target);
                  pass(from, to);
                  pass(to, from);
                } catch (IOException e) {
                  from.close();
                }
              }
            }
          });
    }

    private interface Work {
      void run() throws IOException;
    }

    private static void daemon(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException e) {
                  return; // One side has gone.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    private void pass(Socket from, Socket to) {
      open.add(from);
      daemon(
          () -> {
            try (from;
                to) {
              InputStream in = from.getInputStream();
              OutputStream out = to.getOutputStream();
              byte[] buffer = new byte[8192];
              for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
              }
            } finally {
              open.remove(from);
            }
          });
    }

    int port() {
      return server.getLocalPort();
    }

    /** From now on there is nothing, or another server. */
    void lead(int next) throws IOException {
      target = next;
      for (Socket socket : open) {
        socket.close();
      }
    }

    @Override
    public void close() throws IOException {
      lead(0);
      server.close();
    }
  }

  private static void logIn(Browser browser, String key) {
    browser.find("#login input").sendKeys(key);
    browser.click("#login button.main");
  }

  @Test
  void peopleLogInLoseTheServerAndComeBack() throws Exception {
    int store = freePort();
    ControlServer control = start(store);
    try (Relay relay = new Relay(control.port());
        Browser browser = new Browser()) {
      browser.driver.get("http://127.0.0.1:" + relay.port() + "/");
      browser.find("#login");
      assertThat(browser.has("nav")).isFalse();
      logIn(browser, "wrong");
      browser.await(
          "refused", () -> browser.text("[role=alert]").contains("nobody has this API key"));
      logIn(browser, "look");
      browser.find("#phase");
      assertThat(browser.driver.executeScript("return document.cookie")).isEqualTo("");
      Cookie cookie = browser.driver.manage().getCookieNamed("beltway-session");
      assertThat(cookie.isHttpOnly()).isTrue();
      assertThat(cookie.getSameSite()).isEqualTo("Strict");
      // Who may only look is offered nothing to do.
      browser.driver.executeScript("location.hash = '#/nodes'");
      browser.find("input[type=range]");
      browser.driver.executeScript(
          "const range = document.querySelector('input[type=range]');"
              + "range.value = 2; range.dispatchEvent(new Event('input', {bubbles: true}))");
      browser.find("#moved");
      assertThat(browser.has("#apply")).isFalse();
      browser.click("#logout");
      browser.find("#login");
      assertThat(browser.driver.manage().getCookieNamed("beltway-session")).isNull();

      logIn(browser, "work");
      browser.find("#phase");
      browser.said(); // Until here: what was refused is a line of the console.
      browser.await("live", () -> browser.text("#live").equals("live"));
      relay.lead(0);
      browser.await("it says so", () -> browser.text("#live").contains("no connection"));
      relay.lead(control.port());
      browser.await("live again", () -> browser.text("#live").equals("live"));
      assertThat(browser.has("nav")).isTrue();

      // A restarted server knows no sessions: the page asks for the key, and shows nothing else.
      relay.lead(0);
      control.close();
      control = start(store);
      relay.lead(control.port());
      browser.find("#login");
      assertThat(browser.has("nav")).isFalse();
      logIn(browser, "work");
      browser.find("#phase");
    } finally {
      control.close();
    }
  }
}
