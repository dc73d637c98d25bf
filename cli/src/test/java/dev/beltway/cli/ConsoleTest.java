package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.cli.local.Playground;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * The console in a real browser, at a cluster of real servers with a load. Pictures are left in
 * {@code target/console}.
 */
@Tag("needs-chromium")
@Tag("long")
@NullUnmarked
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleTest {

  private static final Path PICTURES = Path.of("target", "console");
  private static final List<String> PAGES =
      List.of(
          "overview", "ring", "nodes", "migration", "hot", "proxies", "audit", "lab", "settings");

  /** Text that is hard to read, and controls that have no name; empty if all is well. */
  private static final String CHECK =
      """
      const bad = [];
      const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = (element) => {
        for (let each = element; each; each = each.parentElement) {
          const colour = parse(getComputedStyle(each).backgroundColor);
          if (colour.length < 4 || colour[3] > 0.99) return colour;
        }
        return [255, 255, 255];
      };
      for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        if (!own || box.width < 2 || element.closest('svg, noscript, :disabled') || style.visibility !== 'visible') continue;
        const [one, two] = [light(parse(style.color)), light(ground(element))].sort((a, b) => b - a);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
        const ratio = (one + 0.05) / (two + 0.05);
        if (ratio < (large ? 3 : 4.5)) bad.push(`contrast ${ratio.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
      }
      const named = (e) => (e.getAttribute('aria-label') || '').trim() || (e.textContent || '').trim()
        || [...(e.labels || [])].some((label) => label.textContent.trim()) || (e.getAttribute('aria-labelledby') || '');
      for (const e of document.querySelectorAll('button, a[href], input, select, textarea, canvas, svg[role=img], nav, dialog')) {
        if (!named(e)) bad.push('no name: ' + e.outerHTML.slice(0, 90));
      }
      for (const e of document.querySelectorAll('img:not([alt])')) bad.push('no alt: ' + e.outerHTML);
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => bad.push('id twice: ' + id));
      if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
      if (!document.documentElement.lang) bad.push('no language');
      return bad;
      """;

  private static Playground cluster;
  private static Browser browser;

  @BeforeAll
  static void start() throws IOException {
    int control = freePort();
    cluster =
        Playground.start(
            new Playground.Wishes(null, Math.min(control, 64_000), 26_380, true), text -> {});
    browser = new Browser();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void reset() {
    browser.prefer("light");
    browser.size(1400, 900);
    open("overview");
    browser.driver.executeScript("localStorage.clear()");
    browser.driver.navigate().refresh();
    browser.find("#phase");
  }

  private static void open(String page) {
    browser.driver.get("http://127.0.0.1:" + cluster.controlPort() + "/#/" + page);
    browser.find("#content, #login");
  }

  private static void picture(String name) throws IOException {
    browser.picture(PICTURES.resolve(name + ".png"));
  }

  private static void assertSound(String what) {
    assertThat((List<?>) browser.driver.executeScript(CHECK)).as(what).isEmpty();
    assertThat(browser.said()).as(what).isEmpty();
  }

  private static void awaitSteady(int epoch) {
    browser.await(
        "epoch " + epoch + " holds",
        () ->
            (boolean)
                browser.driver.executeAsyncScript(
                    "const done = arguments[1]; fetch('/v1/status').then((r) => r.json())"
                        + ".then((s) => done(s.phase === 'STEADY' && s.epoch === arguments[0]))",
                    epoch));
  }

  private static void type(String selector, String text) {
    WebElement element = browser.find(selector);
    element.clear();
    element.sendKeys(text);
  }

  @Test
  @Order(1)
  void everyPageIsQuietReadableAndFits() throws IOException {
    for (String scheme : List.of("light", "dark")) {
      browser.prefer(scheme);
      for (String language : List.of("en", "zh-CN")) {
        if (!browser.driver.findElement(By.tagName("html")).getAttribute("lang").equals(language)) {
          browser.click("#language");
          browser.find("html[lang=" + language + "]");
        }
        for (String page : PAGES) {
          open(page);
          browser.await(page, () -> browser.has("#content .card"));
          String title =
              browser.driver.findElement(By.cssSelector("nav [aria-current=page]")).getText();
          assertThat(title.matches("[ -~]+")).isEqualTo(language.equals("en"));
          for (int width : new int[] {1400, 360}) {
            browser.size(width, 900);
            String what = String.join(" ", page, scheme, language, Integer.toString(width));
            assertSound(what);
            assertThat(browser.width()).as(what).isLessThanOrEqualTo(width);
            picture(what.replace(' ', '-'));
          }
          browser.size(1400, 900);
        }
      }
    }
  }

  @Test
  @Order(2)
  void aNodeIsAddedWhileTheLoadGoesOn() throws IOException {
    open("ring");
    browser.find("#ring");
    picture("journey-1-before");
    open("nodes");
    browser.click("#add button");
    String moved = browser.text("#moved");
    assertThat(moved).endsWith(" %");
    assertThat(Double.parseDouble(moved.replace(" %", ""))).isBetween(15.0, 35.0);
    type("#paper input[type=number]", "2000");
    browser.click("#plan");
    browser.await("the plan", () -> browser.driver.getPageSource().contains("node-d"));
    assertSound("on paper");
    picture("journey-2-on-paper");
    browser.click("#apply");
    browser.await("moving", () -> browser.text("#phase").equals("Moving"));
    browser.await("keys move", () -> !browser.text("#moved-keys").equals("0"));
    picture("journey-3-moving");
    assertSound("moving");
    open("ring");
    browser.find("#phase[data-phase=MOVING]");
    browser.await(
        "what moves is drawn",
        () ->
            (boolean)
                browser.driver.executeScript(
                    "const c = document.querySelector('#ring'); return !!c && !!c.ringView && c.ringView.moves.length > 50"));
    browser.await(
        "a good part has moved",
        () ->
            Integer.parseInt(browser.text(".centre .label").replaceAll(" /.*|,", "").strip())
                > 2_500);
    picture("journey-4-ring-moving");
    awaitSteady(2);
    browser.find("#phase[data-phase=STEADY]");
    picture("journey-5-after");
    open("overview");
    assertThat(browser.text("#misses")).isEqualTo("0");
    assertThat(browser.text("#errors")).isEqualTo("0");
    assertThat(browser.text("#epoch")).isEqualTo("2");
    assertThat(cluster.nodes()).containsKey("node-d");
  }

  @Test
  @Order(3)
  void aMoveIsPausedThrottledAndTakenBack() throws IOException {
    open("nodes");
    browser.find("input[type=range][data-node=node-a]");
    browser.driver.executeScript(
        "const range = document.querySelector('input[type=range][data-node=node-a]');"
            + "range.value = 2; range.dispatchEvent(new Event('input', {bubbles: true}))");
    assertThat(browser.text("#moved")).endsWith(" %");
    type("#paper input[type=number]", "1000");
    browser.click("#apply");
    browser.click("#pause");
    browser.await("paused", () -> browser.text("#phase").contains("paused"));
    assertSound("paused");
    picture("paused");
    browser.click("#resume");
    browser.await("moving", () -> browser.text("#phase").equals("Moving"));
    browser.click("#abort");
    browser.click("#dialog-go");
    awaitSteady(4);
    open("audit");
    browser.await(
        "the audit", () -> browser.driver.getPageSource().contains("take back: node-a weight 2"));
    browser.click("button.rollback[data-epoch='1']");
    browser.find("dialog");
    assertThat((List<?>) browser.driver.executeScript(CHECK)).isEmpty();
    picture("rollback");
    browser.click("#dialog-go");
    awaitSteady(5);
    open("migration");
    browser.click("#start-scrub");
    browser.await("scrubbed", () -> browser.has("#scrubbed.good"));
    assertThat(browser.text("#reports")).contains("roll back to epoch 1", "done", "taken back");
    assertSound("reports");
    picture("reports");
    open("overview");
    assertThat(browser.text("#misses")).isEqualTo("0");
    assertThat(browser.text("#errors")).isEqualTo("0");
  }

  @Test
  @Order(4)
  void aRemovalAsksForTheNodesName() {
    open("nodes");
    browser.click("button.remove[data-node='node-b']");
    browser.find("#moved");
    browser.click("#apply");
    assertThat(browser.find("#dialog-go").isEnabled()).isFalse();
    type("#typed-name", "node-c");
    assertThat(browser.find("#dialog-go").isEnabled()).isFalse();
    browser.find("#typed-name").sendKeys(Keys.ENTER);
    assertThat(browser.has("dialog[open]")).isTrue();
    type("#typed-name", "node-b");
    assertThat(browser.find("#dialog-go").isEnabled()).isTrue();
    browser.find("#typed-name").sendKeys(Keys.ESCAPE);
    browser.await("the dialog is gone", () -> !browser.has("dialog"));
    awaitSteady(5); // Nothing was done.
  }

  @Test
  @Order(5)
  void thePageAndTheServersAgreeAboutOwners() {
    open("settings");
    browser.await("the topology", () -> browser.text("#topology").contains("node-c"));
    Object agree =
        browser.driver.executeAsyncScript(
            """
            const done = arguments[0];
            Promise.all([import('/console/client/beltway.js'), fetch('/v1/status').then((r) => r.json())])
              .then(async ([client, status]) => {
                const ring = client.Ring.of({ placement: { hashTags: true },
                  nodes: status.nodes.map((node) => ({ id: node.id, weight: node.weight })) });
                done([await ring.fingerprint() === status.fingerprint, ring.owner('user:42')]);
              }, (e) => done([String(e)]));
            """);
    assertThat((List<?>) agree).element(0).isEqualTo(true);
    assertThat(String.valueOf(((List<?>) agree).get(1))).startsWith("node-");
  }

  @Test
  @Order(6)
  void whatClientsAskForMostIsShown() {
    open("hot");
    // The log that the load goes by has a few pages that are edited again and again.
    browser.find("#hot tbody tr");
    assertThat(browser.text("#hot")).contains("node-", "%");
    Cli.Run run = Cli.run("hot", "--control", "127.0.0.1:" + cluster.controlPort());
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("at 2 proxies");
    assertSound("hot keys");
  }

  @Test
  @Order(7)
  void theLabTeachesWhatTheLibraryComputes() {
    open("lab");
    browser.click("#lab-join");
    double ring = moved();
    assertThat(ring).isBetween(8.0, 28.0); // One in six, by twenty virtual nodes.
    browser.driver.executeScript(
        "const s = document.querySelector('#lab-algorithm'); s.value = 'modulo';"
            + "s.dispatchEvent(new Event('change', {bubbles: true}))");
    browser.click("#lab-join");
    assertThat(moved()).isGreaterThan(75);
    for (String tab : List.of("vnodes", "weak", "bounded")) {
      browser.click("#tab-" + tab);
      browser.find("#tab-" + tab + "[aria-pressed=true]");
      assertSound(tab);
    }
    assertThat(Integer.parseInt(browser.text("#lab-cap"))).isEqualTo((int) Math.ceil(1.25 * 250));
  }

  private static double moved() {
    return Double.parseDouble(browser.text("#lab-moved").replace(" %", ""));
  }

  @Test
  @Order(8)
  void keysAloneAreEnough() {
    // Skip link first, then the pages in their order; Enter opens one.
    WebElement body = browser.driver.findElement(By.tagName("body"));
    body.sendKeys(Keys.TAB);
    assertThat(browser.driver.switchTo().activeElement().getAttribute("class")).isEqualTo("skip");
    for (int i = 0; i < 3; i++) {
      browser.driver.switchTo().activeElement().sendKeys(Keys.TAB);
    }
    browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
    browser.find("#nodes");
    assertThat(browser.driver.getCurrentUrl()).endsWith("#/nodes");
  }
}
