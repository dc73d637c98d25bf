package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The reports in a real browser: quiet, light and dark, on a wide screen and on a phone. */
@Tag("needs-chromium")
@Tag("long")
class ReportInBrowserTest {

  @TempDir private static Path folder;
  private static ChromeDriver browser;

  @BeforeAll
  static void open() {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setCapability("goog:loggingPrefs", logs);
    options.setBinary(program("chromium").toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync");
    browser =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(program("chromedriver").toFile())
                .usingAnyFreePort()
                .build(),
            options);
  }

  private static Path program(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  @AfterAll
  static void close() {
    browser.quit();
  }

  private static Path logReport() {
    Path file = folder.resolve("log.html");
    Cli.Run run =
        Cli.run(
            "lab",
            "log",
            "--topology",
            Cli.example("eight.yaml"),
            "--after",
            Cli.example("ten.yaml"),
            "--format",
            "tsv",
            "--key",
            "3",
            "--size",
            "5",
            "--report",
            file.toString(),
            Cli.example("data/apache_paths_10k.tsv"));
    assertThat(run.code()).isZero();
    return file;
  }

  private static Path replayReport() {
    Path file = folder.resolve("replay.html");
    Cli.Run run =
        Cli.run(
            "lab",
            "replay",
            "--before",
            Cli.example("eight.yaml"),
            "--after",
            Cli.example("ten.yaml"),
            "--report",
            file.toString(),
            Cli.example("data/ecommerce_web12_product_pages.txt"));
    assertThat(run.code()).isZero();
    return file;
  }

  private static String background(String scheme) {
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    return browser.findElement(By.tagName("body")).getCssValue("background-color");
  }

  @Test
  void reportsAreQuietAndFitEveryScreen() {
    for (Path report : List.of(logReport(), replayReport())) {
      browser.get(report.toUri().toString());
      List<LogEntry> said = browser.manage().logs().get(LogType.BROWSER).getAll();
      assertThat(said).as(report.toString()).isEmpty();
      assertThat(browser.getTitle()).contains("examples");

      assertThat(background("light")).isEqualTo("rgba(255, 255, 255, 1)");
      String dark = background("dark");
      assertThat(dark).isEqualTo("rgba(20, 23, 27, 1)");

      for (int width : new int[] {1400, 700, 360}) {
        browser.executeCdpCommand(
            "Emulation.setDeviceMetricsOverride",
            Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", false));
        Dimension page = browser.findElement(By.tagName("html")).getSize();
        assertThat(page.getWidth()).isEqualTo(width);
        long wide =
            ((Number)
                    Objects.requireNonNull(
                        browser.executeScript("return document.documentElement.scrollWidth")))
                .longValue();
        assertThat(wide).as(report + " at " + width).isLessThanOrEqualTo(width);
        for (WebElement drawing : browser.findElements(By.tagName("svg"))) {
          assertThat(drawing.getSize().getWidth()).isBetween(Math.min(width - 40, 300), 600);
        }
        // Text in drawings stays readable: the least is 10.5 units of 420 a drawing's width.
        double least = browser.findElement(By.tagName("svg")).getSize().getWidth() / 420.0 * 10.5;
        assertThat(least).isGreaterThan(8);
      }
      // Text must not run into other text within a drawing, nor out of it.
      Object outside =
          browser.executeScript(
              """
              const bad = [];
              for (const svg of document.querySelectorAll('svg')) {
                const box = svg.getBoundingClientRect();
                for (const text of svg.querySelectorAll('text')) {
                  const b = text.getBoundingClientRect();
                  if (b.left < box.left - 1 || b.right > box.right + 1
                      || b.top < box.top - 1 || b.bottom > box.bottom + 1) {
                    bad.push(text.textContent);
                  }
                }
              }
              return bad;
              """);
      assertThat((List<?>) outside).as(report.toString()).isEmpty();
    }
  }
}
