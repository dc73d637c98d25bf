package dev.beltway.handover;

import static dev.beltway.handover.Step.ask;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What stands against a node's taking part in a change. A doubt can be overruled by force; what
 * can't be is what would lose keys for certain.
 */
final class Preflight {

  /** What others do who only look. */
  private static final Set<String> LOOKS =
      Set.of(
          "NULL",
          "auth",
          "client",
          "command",
          "config",
          "dbsize",
          "hello",
          "info",
          "latency",
          "memory",
          "monitor",
          "ping",
          "psync",
          "replconf",
          "select",
          "slowlog",
          "acl",
          "role",
          "scan",
          "type",
          "ttl",
          "pttl",
          "object",
          "cluster",
          "module",
          "quit",
          "debug",
          "time");

  private final int control;
  private final String node;
  private final boolean forced;

  Preflight(int control, String node, boolean forced) {
    this.control = control;
    this.node = node;
    this.forced = forced;
  }

  Step begin() {
    return ask(
        node,
        List.of("INFO"),
        info -> {
          String refusal = state(info);
          return refusal.isEmpty() ? login() : new Step.Done(refusal);
        });
  }

  private String state(@Nullable Object info) {
    String version = Orders.Infos.field(info, "redis_version");
    if (!Orders.Infos.field(info, "role").equals("master")) {
      return "it is a replica; name its master";
    } else if (Orders.Infos.field(info, "loading").equals("1")) {
      return "it is loading its data; try again when it has";
    } else if (version.startsWith("5.") || version.startsWith("4.")) {
      return "version " + version + " has no users; 6.0 or later is needed";
    } else if (Orders.Infos.field(info, "cluster_enabled").equals("1")) {
      return "it is a node of a Redis Cluster; Beltway takes servers of their own";
    }
    for (int database = control + 1; database < control + 1025; database++) {
      if (!Orders.Infos.field(info, "db" + database).isEmpty()) {
        return "database "
            + database
            + " has keys, and those behind the control database "
            + control
            + " are not walked; move them, or state another --control-database";
      }
    }
    return "";
  }

  private Step login() {
    return ask(
        node,
        List.of("ACL", "GETUSER", "default"),
        user ->
            Orders.Infos.isOpen(user)
                ? new Step.Done(
                    "anybody may log in to it without a password, so nobody can be kept out while"
                        + " keys move; set requirepass there, and start control with"
                        + " BELTWAY_NODE_PASSWORD")
                : writers(() -> new Step.Done("")));
  }

  /** Whoever goes round the proxies would write to a key's old node. */
  private Step writers(Supplier<Step> then) {
    return forced
        ? then.get()
        : ask(
            node,
            List.of("CLIENT", "LIST"),
            reply -> {
              for (String line : String.valueOf(reply).split("\n", -1)) {
                String user = word(line, "user");
                String name = word(line, "name");
                String command = word(line, "cmd").replaceAll("\\|.*", "");
                boolean ours =
                    user.startsWith(Names.PROXY_USERS)
                        || user.startsWith(Names.TRANSFER_USERS)
                        || name.equals(Names.CONTROL_CLIENT);
                boolean replica = word(line, "flags").matches(".*[SM].*");
                if (!line.isBlank() && !ours && !replica && !LOOKS.contains(command)) {
                  return new Step.Done(
                      "a client at "
                          + word(line, "addr")
                          + " (user "
                          + user
                          + (name.isEmpty() ? "" : ", name " + name)
                          + ", last command "
                          + command
                          + ") works there without a proxy, and would not notice that keys move;"
                          + " end it, or go on with --force");
                }
              }
              return then.get();
            });
  }

  private static String word(String line, String name) {
    for (String word : line.split(" ", -1)) {
      if (word.startsWith(name + "=")) {
        return word.substring(name.length() + 1).strip();
      }
    }
    return "";
  }
}
