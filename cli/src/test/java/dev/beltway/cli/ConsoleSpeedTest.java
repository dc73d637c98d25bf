package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.control.ControlServer;
import dev.beltway.control.api.ApiKeys;
import dev.beltway.control.api.Sandbox;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.topology.Node;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How fast the console is with 1,000 nodes of 150 virtual nodes each, and ten events a second;
 * {@code bench/run console} runs it and prints the figures.
 */
@Tag("needs-chromium")
@Tag("soak")
@NullUnmarked
@Timeout(300)
class ConsoleSpeedTest {

  private static final int NODES = 1_000;

  @TempDir Path folder;

  /** A load whose figures are new at every look, so that there is an event at each. */
  private static final class Restless implements Sandbox {

    private final AtomicLong requests = new AtomicLong();

    @Override
    public String serve(String id) throws IOException {
      throw new IOException("none here");
    }

    @Override
    public ObjectNode load() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("requests", requests.incrementAndGet())
          .put("misses", 0)
          .put("wrong", 0)
          .put("errors", 0)
          .put("error", "");
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void aThousandNodes() throws Exception {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          Node.of(String.format(Locale.ROOT, "n%04d", i)).withAddress("127.0.0.1:" + (20_000 + i)));
    }
    int store = freePort();
    try (ControlServer control =
            ControlServer.start(
                new ControlServer.Setup(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Optional.of(
                        new ControlServer.Embedded(folder.resolve("zk"), "127.0.0.1", store)),
                    "127.0.0.1:" + store,
                    "test",
                    "opensesame",
                    ApiKeys.OPEN,
                    null,
                    NodeSettings.plain("control").withLogin("default", "secret"),
                    15,
                    folder.resolve("kept"),
                    "test"),
                Optional.of(new Topology(1, RingRule.DEFAULT, nodes)),
                Optional.of(new Restless()));
        Browser browser = new Browser()) {
      browser.size(1400, 900);
      String at = "http://127.0.0.1:" + control.port() + "/";
      double[] paints = new double[7];
      for (int i = 0; i < paints.length; i++) {
        browser.driver.get("about:blank");
        browser.driver.get(at);
        browser.await(
            "painted",
            () ->
                (boolean)
                    browser.driver.executeScript(
                        "return performance.getEntriesByName('first-contentful-paint').length > 0"
                            + " && document.querySelector('#phase') !== null"));
        paints[i] =
            number(
                browser.driver.executeScript(
                    "return performance.getEntriesByName('first-contentful-paint')[0].startTime"));
      }
      Arrays.sort(paints);
      browser.driver.get(at + "#/ring");
      browser.await(
          "the ring is drawn",
          () ->
              (boolean)
                  browser.driver.executeScript(
                      "const c = document.querySelector('#ring'); return !!c && !!c.ringView && c.ringView.ranges.size > 100000"));
      // A change of every tenth node's weight, shown as if it were moving: the most there is to
      // draw.
      Object frames =
          browser.driver.executeAsyncScript(
              """
              const done = arguments[0]
              const weights = {}
              for (let i = 0; i < 1000; i += 10) weights[`n${String(i).padStart(4, '0')}`] = 2
              Promise.all([import('/console/ringview.js'), fetch('/v1/changes', { method: 'POST', body:
                JSON.stringify({ weights, dryRun: true, ranges: true }) }).then((r) => r.json())])
                .then(([module, paper]) => {
                  const view = document.querySelector('#ring').ringView
                  const moves = view.ranges.moves(module.Ranges.of(paper.ranges))
                  const show = view.show.bind(view)
                  view.show = (options) => show({ ...options, moves, progress: () => (performance.now() / 3000) % 1 })
                  let events = 0
                  const source = new EventSource('/v1/events')
                  source.addEventListener('status', () => events++)
                  const gaps = []
                  let last = performance.now()
                  const end = last + 10000
                  const step = (now) => {
                    gaps.push(now - last)
                    last = now
                    if (now < end) requestAnimationFrame(step)
                    else {
                      source.close()
                      gaps.sort((a, b) => a - b)
                      done([gaps.length / 10, gaps[Math.floor(gaps.length * 0.95)], moves.length, events / 10])
                    }
                  }
                  requestAnimationFrame(step)
                })
              """);
      List<?> drawn = (List<?>) frames;
      browser.driver.get(at + "#/nodes");
      browser.find("input[type=range][data-node=n0050]");
      double[] answers = new double[15];
      for (int i = 0; i < answers.length; i++) {
        double weight = 1.1 + i * 0.05;
        answers[i] =
            number(
                browser.driver.executeAsyncScript(
                    """
                    const done = arguments[1]
                    const began = performance.now()
                    fetch('/v1/changes', { method: 'POST', body:
                      JSON.stringify({ weights: { n0050: arguments[0] }, dryRun: true }) })
                      .then((r) => r.json()).then(() => done(performance.now() - began))
                    """,
                    weight));
      }
      Arrays.sort(answers, 5, answers.length); // The first ones are compiled yet.
      double median = answers[5 + (answers.length - 5) / 2];
      double slowest = answers[answers.length - 1];
      System.out.printf(
          Locale.ROOT,
          "first paint, median of %d: %.0f ms; worst %.0f ms%n"
              + "ring of %,d tokens with %s moving parts, %.1f events a second: %.1f frames a second,"
              + " 95 of 100 gaps below %.1f ms%n"
              + "what-if: median %.0f ms, slowest %.0f ms%n",
          paints.length,
          paints[paints.length / 2],
          paints[paints.length - 1],
          NODES * 150,
          drawn.get(2),
          number(drawn.get(3)),
          number(drawn.get(0)),
          number(drawn.get(1)),
          median,
          slowest);
      assertThat(paints[paints.length / 2]).as("first paint, ms").isLessThan(1_000);
      assertThat(number(drawn.get(0))).as("frames a second").isGreaterThan(30);
      assertThat(median).as("what-if, ms").isLessThan(100);
    }
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }
}
