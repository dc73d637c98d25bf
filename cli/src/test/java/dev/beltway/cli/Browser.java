package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The machine's Chromium, without a window. */
@NullUnmarked
final class Browser implements AutoCloseable {

  private static final long PATIENCE = Duration.ofSeconds(60).toNanos();

  final ChromeDriver driver;

  Browser() {
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
        "--disable-sync",
        "--lang=en-US");
    driver =
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

  /** What it has said on its console since it was asked last. */
  List<LogEntry> said() {
    return driver.manage().logs().get(LogType.BROWSER).getAll();
  }

  void prefer(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** How wide the page is, which may be more than the window. */
  long width() {
    return ((Number) driver.executeScript("return document.documentElement.scrollWidth"))
        .longValue();
  }

  void picture(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  /** A condition of the page. */
  interface Condition {
    boolean holds();
  }

  void await(String what, Condition condition) {
    long deadline = System.nanoTime() + PATIENCE;
    while (true) {
      try {
        if (condition.holds()) {
          return;
        }
      } catch (StaleElementReferenceException e) {
        continue; // The page has just drawn it anew.
      }
      assertThat(System.nanoTime())
          .as("%s; the page says: %s", what, driver.findElement(By.tagName("body")).getText())
          .isLessThan(deadline);
    }
  }

  boolean has(String selector) {
    return !driver.findElements(By.cssSelector(selector)).isEmpty();
  }

  WebElement find(String selector) {
    await(selector, () -> has(selector));
    return driver.findElement(By.cssSelector(selector));
  }

  String text(String selector) {
    String[] text = new String[1];
    await(
        selector,
        () -> {
          text[0] = has(selector) ? driver.findElement(By.cssSelector(selector)).getText() : null;
          return text[0] != null;
        });
    return text[0];
  }

  void click(String selector) {
    await(
        selector + " can be clicked",
        () -> {
          if (!has(selector)) {
            return false;
          }
          WebElement element = driver.findElement(By.cssSelector(selector));
          if (!element.isDisplayed() || !element.isEnabled()) {
            return false;
          }
          driver.executeScript("arguments[0].click()", element);
          return true;
        });
  }

  @Override
  public void close() {
    driver.quit();
  }
}
