package dev.beltway.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.testing.RedisNode;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the API and the console refuse, and that they go on after it. */
@Tag("long")
@Timeout(120)
@NullUnmarked
class ApiSecurityTest {

  @TempDir Path folder;
  private ControlServer control;
  private int port;

  @BeforeEach
  void start() throws Exception {
    Path keys = folder.resolve("keys.txt");
    Files.writeString(
        keys,
        "vera view "
            + sha256("look")
            + "\nolaf operate "
            + sha256("work")
            + "\nada admin "
            + sha256("all")
            + "\n");
    int store = RedisNode.freePort();
    control =
        ControlServer.start(
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
                new Topology(
                    1, RingRule.DEFAULT, List.of(Node.of("n0").withAddress("127.0.0.1:1")))));
    port = control.port();
  }

  @AfterEach
  void stop() {
    control.close();
  }

  private static String sha256(String key) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Sends a request as it stands, and reads until the server closes. */
  private String raw(String first, String body, String... headers) throws IOException {
    try (Socket socket = connect()) {
      StringBuilder request = new StringBuilder(first + "\r\nHost: 127.0.0.1:" + port + "\r\n");
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      request.append("Connection: close\r\nContent-Length: ");
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      request.append(bytes.length).append("\r\n\r\n");
      OutputStream out = socket.getOutputStream();
      out.write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
      out.write(bytes);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  private String logIn(String key) throws IOException {
    String answer = raw("POST /v1/session HTTP/1.1", "{\"key\":\"" + key + "\"}");
    assertThat(status(answer)).as(answer).isEqualTo(200);
    Matcher cookie =
        Pattern.compile("(?i)Set-Cookie: (beltway-session=[0-9a-f]{64})([^\r]*)").matcher(answer);
    assertThat(cookie.find()).as(answer).isTrue();
    assertThat(cookie.group(2)).contains("HttpOnly").contains("SameSite=Strict");
    return "Cookie: " + cookie.group(1);
  }

  @Test
  void nothingIsToldWithoutAKey() throws IOException {
    for (String path :
        List.of(
            "status",
            "session",
            "ranges",
            "audit",
            "proxies",
            "hot",
            "epochs",
            "epochs/1",
            "epochs/1/diff?from=1",
            "migration",
            "moves",
            "scrub",
            "coordination",
            "backup")) {
      assertThat(status(raw("GET /v1/" + path + " HTTP/1.1", ""))).as(path).isEqualTo(401);
      assertThat(status(raw("GET /v1/" + path + " HTTP/1.1", "", "Authorization: Bearer wrong")))
          .as(path)
          .isEqualTo(401);
    }
    assertThat(status(raw("GET /metrics HTTP/1.1", ""))).isEqualTo(401);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "{\"remove\":[\"n0\"]}"))).isEqualTo(401);
    assertThat(status(raw("GET /v1/events HTTP/1.1", "", "Accept: text/event-stream")))
        .isEqualTo(401);
    // The console's own files have no secrets.
    assertThat(status(raw("GET / HTTP/1.1", ""))).isEqualTo(200);
  }

  @Test
  void aSessionMayDoWhatItsKeyMayAndOnlyFromTheConsole() throws IOException {
    assertThat(status(raw("POST /v1/session HTTP/1.1", "{\"key\":\"wrong\"}"))).isEqualTo(401);
    assertThat(
            status(
                raw(
                    "POST /v1/session HTTP/1.1",
                    "{\"key\":\"all\"}",
                    "Origin: http://evil.example")))
        .isEqualTo(403);
    String viewer = logIn("look");
    assertThat(raw("GET /v1/session HTTP/1.1", "", viewer))
        .contains("\"name\":\"vera\"", "\"role\":\"view\"");
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"weights\":{\"n0\":2},\"dryRun\":true}",
                    viewer,
                    "X-Beltway-Console: 1")))
        .isEqualTo(200); // On paper.
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"weights\":{\"n0\":2}}",
                    viewer,
                    "X-Beltway-Console: 1")))
        .isEqualTo(403);
    // A key that is there counts, whatever the cookie.
    assertThat(status(raw("GET /v1/session HTTP/1.1", "", viewer, "Authorization: Bearer wrong")))
        .isEqualTo(401);
    assertThat(raw("GET /v1/session HTTP/1.1", "", viewer, "Authorization: Bearer all"))
        .contains("\"name\":\"ada\"");

    assertThat(status(raw("DELETE /v1/session HTTP/1.1", "", viewer))).isEqualTo(403);

    String operator = logIn("work");
    String change = "{\"weights\":{\"n0\":2},\"dryRun\":true}";
    String own = "Origin: http://127.0.0.1:" + port;
    assertThat(
            status(raw("POST /v1/changes HTTP/1.1", change, operator, own, "X-Beltway-Console: 1")))
        .isEqualTo(200);
    // A form of another page can send the cookie (were the browser to let it), but not the header.
    assertThat(status(raw("POST /v1/changes HTTP/1.1", change, operator))).isEqualTo(403);
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    change,
                    operator,
                    "Origin: http://evil.example",
                    "X-Beltway-Console: 1")))
        .isEqualTo(403);
    assertThat(
            status(
                raw(
                    "POST /v1/abort HTTP/1.1",
                    "",
                    operator,
                    "Origin: null",
                    "X-Beltway-Console: 1")))
        .isEqualTo(403);

    assertThat(
            status(raw("DELETE /v1/session HTTP/1.1", "", operator, own, "X-Beltway-Console: 1")))
        .isEqualTo(204);
    assertThat(status(raw("GET /v1/session HTTP/1.1", "", operator))).isEqualTo(401);
    assertThat(status(raw("GET /v1/session HTTP/1.1", "", viewer))).isEqualTo(200);
    assertThat(
            status(
                raw("GET /v1/session HTTP/1.1", "", "Cookie: beltway-session=" + "0".repeat(64))))
        .isEqualTo(401);
  }

  @Test
  void aStreamEndsWithItsSession() throws IOException {
    String viewer = logIn("look");
    try (Socket socket = connect()) {
      socket
          .getOutputStream()
          .write(
              ("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:"
                      + port
                      + "\r\n"
                      + viewer
                      + "\r\nAccept: text/event-stream\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      String line = in.readLine();
      while (!line.equals("event: status")) {
        line = in.readLine();
      }
      String own = "Origin: http://127.0.0.1:" + port;
      assertThat(
              status(raw("DELETE /v1/session HTTP/1.1", "", viewer, own, "X-Beltway-Console: 1")))
          .isEqualTo(204);
      while (line != null) { // Within its time-out it is closed, or this fails.
        line = in.readLine();
      }
    }
  }

  @Test
  void nothingIsChangedByGet() throws IOException {
    String key = "Authorization: Bearer all";
    for (String path :
        List.of(
            "abort", "pause", "resume", "rollback", "changes", "restore", "nodes", "topology")) {
      assertThat(
              status(raw("GET /v1/" + path + " HTTP/1.1", "", key, "X-HTTP-Method-Override: POST")))
          .as(path)
          .isEqualTo(400);
      assertThat(status(raw("GET /v1/" + path + "?to=1 HTTP/1.1", "", key)))
          .as(path)
          .isEqualTo(404);
    }
  }

  @Test
  void pathsDontLeaveTheConsole() throws IOException {
    for (String path :
        List.of(
            "/console/../openapi.json",
            "/console/..%2fopenapi.json",
            "/console/%2e%2e/openapi.json",
            "/console/pages/..%5c..%5copenapi.json",
            "/console//etc/passwd",
            "/console/app.js%00.css",
            "/console/..;/openapi.json",
            "/../../etc/passwd",
            "/console/META-INF/MANIFEST.MF",
            "/console/logback.xml")) {
      String answer = raw("GET " + path + " HTTP/1.1", "");
      assertThat(status(answer)).as(path).isBetween(400, 404);
      assertThat(answer).as(path).doesNotContain("root:", "\"openapi\"", "Manifest-Version");
    }
  }

  @Test
  void everyAnswerCarriesThePolicy() throws IOException {
    for (String path : List.of("/", "/console/app.js", "/v1/status", "/nowhere")) {
      assertThat(raw("GET " + path + " HTTP/1.1", ""))
          .as(path)
          .contains("Content-Security-Policy: default-src 'none'; script-src 'self'")
          .contains("X-Content-Type-Options: nosniff")
          .contains("X-Frame-Options: DENY")
          .doesNotContain("unsafe-inline", "Server:");
    }
  }

  @Test
  void headersAndBodiesAreBounded() throws IOException {
    String key = "Authorization: Bearer all";
    // A line end in a value would be a header of its own: it is one value, or refused.
    String split = raw("POST /v1/session HTTP/1.1", "{\"key\":\"x\\r\\nSet-Cookie: a=b\"}");
    assertThat(status(split)).isEqualTo(401);
    assertThat(split).doesNotContain("\r\nSet-Cookie: a=b");
    String path = raw("GET /v1/nowhere%0d%0aX-Injected:%201 HTTP/1.1", "", key);
    assertThat(path).doesNotContain("\r\nX-Injected");
    assertThat(status(raw("GET /v1/status HTTP/1.1", "", "X-Long: " + "a".repeat(100_000))))
        .isEqualTo(431);
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"why\":\"" + "x".repeat(300 << 10) + "\"}",
                    key)))
        .isEqualTo(413);
    assertThat(status(raw("PUT /v1/topology HTTP/1.1", "#".repeat(9 << 20), key))).isEqualTo(413);
    assertThat(status(raw("POST /v1/session HTTP/1.1", "{\"key\":\"" + "x".repeat(5_000) + "\"}")))
        .isEqualTo(413);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "{\"epoch\":\"x\"}", key))).isEqualTo(400);
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"weights\":{\"n0\":2},\"remove\":[\"n0\"]}",
                    key)))
        .isEqualTo(400);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "[" + "[".repeat(200_000), key)))
        .isEqualTo(400);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "{\"weights\":[1]}", key))).isEqualTo(400);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "{}", key))).isEqualTo(400);
    assertThat(status(raw("POST /v1/changes HTTP/1.1", "{\"weights\":{\"n0\":-1}}", key)))
        .isEqualTo(400);
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"add\":[{\"id\":\"<script>\"}],\"dryRun\":true}",
                    key)))
        .isEqualTo(200); // A name like any other: pages show it as text.
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"add\":[{\"id\":\"n9\",\"wieght\":2}],\"dryRun\":true}",
                    key)))
        .isEqualTo(400);
    assertThat(
            status(
                raw(
                    "POST /v1/changes HTTP/1.1",
                    "{\"add\":[{\"id\":\"n8\"},{\"id\":\"n9\"}],\"dryRun\":true}",
                    key)))
        .isEqualTo(200);
    assertThat(status(raw("GET /v1/status HTTP/1.1", "", key))).isEqualTo(200);
  }

  @Test
  void bodiesThatTrickleHoldNobodyUp() throws Exception {
    List<Socket> all = new ArrayList<>();
    try {
      for (int i = 0; i < 400; i++) {
        Socket socket = connect();
        all.add(socket);
        socket
            .getOutputStream()
            .write(
                ("POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1:"
                        + port
                        + "\r\nContent-Length: 4000\r\n\r\n{")
                    .getBytes(StandardCharsets.US_ASCII));
      }
      // They hold threads until they are given up, which takes seconds and not as long as they
      // like.
      assertThat(status(raw("GET /healthz HTTP/1.1", ""))).isEqualTo(200);
      long gone = 0;
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (gone < all.size() && System.nanoTime() < deadline) {
        gone = 0;
        for (Socket socket : all) {
          gone += isGone(socket) ? 1 : 0;
        }
      }
      assertThat(gone).isEqualTo(all.size());
    } finally {
      for (Socket socket : all) {
        socket.close();
      }
    }
  }

  /** Whether the server has closed a connection; sends a byte, as one that trickles does. */
  private static boolean isGone(Socket socket) {
    try {
      socket.setSoTimeout(50);
      socket.getOutputStream().write(' ');
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void aThousandListenersAreBoundedAndHoldNobodyUp() throws Exception {
    List<Socket> all = new ArrayList<>();
    try {
      for (int i = 0; i < 1_000; i++) {
        Socket socket = connect();
        all.add(socket);
        socket
            .getOutputStream()
            .write(
                ("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:"
                        + port
                        + "\r\nAuthorization: Bearer look\r\nAccept: text/event-stream\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
      }
      int told = 0;
      int refused = 0;
      // None of them is read from while the others are asked: they are slow, and many.
      assertThat(status(raw("GET /v1/status HTTP/1.1", "", "Authorization: Bearer look")))
          .isEqualTo(200);
      for (Socket socket : all) {
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          if (line.equals("event: status")) {
            told++;
            break;
          } else if (line.startsWith("HTTP/1.1 503") || line.equals("event: problem")) {
            refused++;
            break;
          }
        }
      }
      assertThat(told).isEqualTo(200);
      assertThat(refused).isEqualTo(800);
    } finally {
      for (Socket socket : all) {
        socket.close();
      }
    }
    // Those that have left make room: a sign of life finds it out.
    long deadline = System.nanoTime() + 60_000_000_000L;
    String answer = "";
    while (!answer.contains("event: status") && System.nanoTime() < deadline) {
      try (Socket socket = connect()) {
        socket
            .getOutputStream()
            .write(
                ("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:"
                        + port
                        + "\r\nAuthorization: Bearer look\r\nAccept: text/event-stream\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        byte[] some = new byte[2_000];
        int length = socket.getInputStream().read(some);
        length += Math.max(0, socket.getInputStream().read(some, length, some.length - length));
        answer = new String(some, 0, length, StandardCharsets.UTF_8);
      }
    }
    assertThat(answer).contains("event: status");
  }
}
