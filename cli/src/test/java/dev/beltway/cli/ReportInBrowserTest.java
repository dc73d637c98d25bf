package dev.beltway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebElement;

/** The reports in a real browser: quiet, light and dark, on a wide screen and on a phone. */
@Tag("needs-chromium")
@Tag("long")
class ReportInBrowserTest {

  @TempDir private static Path folder;
  private static Browser browser;

  @BeforeAll
  static void open() {
    browser = new Browser();
  }

  @AfterAll
  static void close() {
    browser.close();
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
    browser.prefer(scheme);
    return browser.driver.findElement(By.tagName("body")).getCssValue("background-color");
  }

  @Test
  void reportsAreQuietAndFitEveryScreen() {
    for (Path report : List.of(logReport(), replayReport())) {
      browser.driver.get(report.toUri().toString());
      assertThat(browser.said()).as(report.toString()).isEmpty();
      assertThat(browser.driver.getTitle()).contains("examples");

      assertThat(background("light")).isEqualTo("rgba(255, 255, 255, 1)");
      String dark = background("dark");
      assertThat(dark).isEqualTo("rgba(20, 23, 27, 1)");

      for (int width : new int[] {1400, 700, 360}) {
        browser.size(width, 800);
        Dimension page = browser.driver.findElement(By.tagName("html")).getSize();
        assertThat(page.getWidth()).isEqualTo(width);
        assertThat(browser.width()).as(report + " at " + width).isLessThanOrEqualTo(width);
        for (WebElement drawing : browser.driver.findElements(By.tagName("svg"))) {
          assertThat(drawing.getSize().getWidth()).isBetween(Math.min(width - 40, 300), 600);
        }
        // Text in drawings stays readable: the least is 10.5 units of 420 a drawing's width.
        double least =
            browser.driver.findElement(By.tagName("svg")).getSize().getWidth() / 420.0 * 10.5;
        assertThat(least).isGreaterThan(8);
      }
      // Text must not run into other text within a drawing, nor out of it.
      Object outside =
          browser.driver.executeScript(
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
