package dev.beltway.handover;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The scripts that nodes are asked to do. */
public enum Script {
  /** Keys leave their source. */
  TRANSFER("transfer.lua"),
  /** A key that is too big for that is copied. */
  BIG("big.lua"),
  /** Keys are compared before they leave. */
  COMPARE("compare.lua"),
  /** What a change would move is counted. */
  SURVEY("survey.lua");

  private final String text;
  private final String sha;

  Script(String name) {
    this.text = read(name);
    this.sha = sha1(text);
  }

  /** Its text. */
  public String text() {
    return text;
  }

  /** What EVALSHA calls it. */
  public String sha() {
    return sha;
  }

  /** As a command. */
  public List<String> command(List<String> keys, List<String> arguments) {
    List<String> words = new ArrayList<>(keys.size() + arguments.size() + 3);
    words.add("EVALSHA");
    words.add(sha);
    words.add(Integer.toString(keys.size()));
    words.addAll(keys);
    words.addAll(arguments);
    return words;
  }

  /** Has a node do it, whatever the answer; a node that has forgotten the script is told it. */
  Step tell(
      String node,
      List<String> keys,
      List<String> arguments,
      Function<@Nullable Object, Step> then) {
    return Step.tell(
        node,
        command(keys, arguments),
        reply ->
            reply instanceof ErrorReply error && error.text().startsWith("NOSCRIPT")
                ? Step.ask(
                    node,
                    List.of("SCRIPT", "LOAD", text),
                    loaded -> Step.tell(node, command(keys, arguments), then))
                : then.apply(reply));
  }

  /** Has a node do it, and takes an error for a failure. */
  Step ask(
      String node,
      List<String> keys,
      List<String> arguments,
      Function<@Nullable Object, Step> then) {
    return tell(
        node,
        keys,
        arguments,
        reply ->
            reply instanceof ErrorReply error
                ? Step.failed("node " + node + " answered with " + error.text())
                : then.apply(reply));
  }

  private static String read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-1", e);
    }
  }
}
