package dev.beltway.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * One HTML file that needs nothing else: its style and drawings are inside, it runs no script and
 * asks for nothing, which its content security policy enforces. Follows the reader's choice of
 * light or dark, fits a phone, and prints.
 */
public final class Page {

  /** How every report begins; by this an earlier one is known. */
  public static final String BEGIN = "<!DOCTYPE html>\n<!-- A report of Beltway -->\n";

  private final StringBuilder body = new StringBuilder();
  private final String title;
  private boolean inFigures;

  Page(String title) {
    this.title = title;
  }

  private void closeFigures() {
    if (inFigures) {
      body.append("</div>\n");
      inFigures = false;
    }
  }

  Page heading(String text) {
    closeFigures();
    body.append("<h2>").append(Markup.escaped(text)).append("</h2>\n");
    return this;
  }

  Page text(String text) {
    return paragraph("", text);
  }

  Page faint(String text) {
    return paragraph(" class=\"under\"", text);
  }

  private Page paragraph(String attributes, String text) {
    closeFigures();
    body.append("<p").append(attributes).append('>').append(Markup.escaped(text)).append("</p>\n");
    return this;
  }

  /** What was read; a sentence that begins with {@code PARTIAL} is an alarm. */
  Page reading(List<String> sentences) {
    for (String sentence : sentences) {
      paragraph(sentence.startsWith("PARTIAL") ? " class=\"alarm\"" : " class=\"under\"", sentence);
    }
    return this;
  }

  /** The findings in short. */
  Page inShort(List<String> sentences) {
    closeFigures();
    body.append("<ul class=\"short\">\n");
    for (String sentence : sentences) {
      String whole = sentence.replace(" ×", "\u00a0×").replace(" %", "\u00a0%");
      body.append("<li>").append(Markup.escaped(whole)).append("</li>\n");
    }
    body.append("</ul>\n");
    return this;
  }

  /** A drawing; several in a row stand beside each other where there is room. */
  Page figure(String caption, String explanation, Svg svg) {
    if (!inFigures) {
      body.append("<div class=\"figures\">\n");
      inFigures = true;
    }
    body.append("<figure><figcaption><b>")
        .append(Markup.escaped(caption))
        .append("</b>")
        .append(Markup.escaped(explanation))
        .append("</figcaption>\n")
        .append(svg)
        .append("</figure>\n");
    return this;
  }

  /** A table; the first column is to the left, all others to the right. */
  Page table(List<String> head, List<List<String>> rows) {
    closeFigures();
    body.append("<div class=\"scroll\"><table>\n<thead><tr>");
    head.forEach(cell -> body.append("<th>").append(Markup.escaped(cell)).append("</th>"));
    body.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows) {
      body.append("<tr>");
      for (int i = 0; i < row.size(); i++) {
        boolean isLong = i == 0 && row.get(0).length() > 40;
        body.append(isLong ? "<td class=\"key\">" : "<td>")
            .append(Markup.escaped(row.get(i)))
            .append("</td>");
      }
      body.append("</tr>\n");
    }
    body.append("</tbody></table></div>\n");
    return this;
  }

  Page code(String text) {
    closeFigures();
    body.append("<pre>").append(Markup.escaped(text)).append("</pre>\n");
    return this;
  }

  String html() {
    closeFigures();
    String safe = Markup.escaped(title);
    return BEGIN
        + "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta http-equiv=\"Content-Security-Policy\""
        + " content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<link rel=\"icon\" href=\"data:,\">\n<title>"
        + safe
        + "</title>\n<style>\n"
        + style()
        + "</style>\n</head>\n<body>\n<h1>"
        + safe
        + "</h1>\n"
        + body
        + "</body>\n</html>\n";
  }

  private static String style() {
    try (InputStream in = Page.class.getResourceAsStream("style.css")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
