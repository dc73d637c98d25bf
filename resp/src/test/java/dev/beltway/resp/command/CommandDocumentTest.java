package dev.beltway.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/redis-commands.md says what the command table says. {@code mvn -Dquick test -pl resp
 * -Dtest=CommandDocumentTest -Dbeltway.write=true} writes it anew.
 */
class CommandDocumentTest {

  private static final Map<Treatment, String> NOTES = new LinkedHashMap<>();

  static {
    NOTES.put(
        Treatment.ONE_NODE,
        "Goes to the node that owns the key. All keys must be on one node, else `-CROSSSLOT`; hash tags put them"
            + " there. A script or function without keys is run by one node, whichever. `SORT` with `BY` or `GET`"
            + " needs a pattern whose hash tag is on the node of the sorted key.");
    NOTES.put(
        Treatment.SPLIT,
        "Each node gets the keys that it owns, in their order and as often as they were named, and the replies are"
            + " joined. The part of each node is atomic, the whole is not. If a node fails the whole reply is that"
            + " error, though other nodes have done their part.");
    NOTES.put(
        Treatment.BLOCKING,
        "As above, on a connection of its own while it waits. `XREAD` and `XREADGROUP` only with `BLOCK`. If the"
            + " client goes, the wait at the node ends.");
    NOTES.put(
        Treatment.TRANSACTION,
        "A transaction is on one node: the first key decides. Commands are kept by the proxy (at most 64 MB) and go to"
            + " the node in one piece at `EXEC`, so an error that only the node can know of comes with `EXEC`, as"
            + " `-EXECABORT`. If the connection that watches is lost, or the client changes its protocol by `HELLO`, `EXEC`"
            + " answers as if a watched key had changed; if the nodes have changed, `-EXECABORT`."
            + " Within a transaction commands over several nodes, `SELECT`, `CLIENT`, `SCRIPT`, `FUNCTION`, `HELLO`, `AUTH`,"
            + " `UNWATCH` and subscriptions are refused.");
    NOTES.put(
        Treatment.EVERY_NODE,
        "Asked of every node, and the replies are joined: sums (`DBSIZE`, `PUBSUB NUMSUB`), lists one after the other"
            + " (`KEYS`), a key of a node drawn by how many keys each has (`RANDOMKEY`). `SCAN` visits the nodes one"
            + " after the other: the lower 16 bits of its cursor are the node, the rest is that node's own cursor, so"
            + " any proxy of the same topology can go on. If a node fails the whole reply is that error.");
    NOTES.put(
        Treatment.REMEMBERED,
        "Done by every node, and done again on a node that has restarted, before it is used. If a node has lost a"
            + " script that the proxy knows, `EVALSHA` loads it and goes on, unless the client has sent more behind it:"
            + " then it is told `-NOSCRIPT`, and the script is loaded for the next time. At most 16 MB are remembered.");
    NOTES.put(Treatment.ANY_NODE, "Answered by one node, whichever.");
    NOTES.put(
        Treatment.CHANNEL, "Goes to the node that owns the channel's name, as if it were a key.");
    NOTES.put(
        Treatment.SUBSCRIBE,
        "A channel lives on the node that owns its name, as a key would. Patterns, and channels of keyspace"
            + " notifications, are subscribed at every node. Messages of channels on different nodes come in any order, and"
            + " to a client that publishes to itself after the reply."
            + " A subscriber of a node that is lost is disconnected.");
    NOTES.put(
        Treatment.LOCAL,
        "Answered by the proxy: about the client's connection to the proxy, or about the proxy. `CONFIG GET` knows `save`,"
            + " `appendonly`, `databases`, `maxclients`, `timeout` and `proto-max-bulk-len`. `INFO` has the sections Server,"
            + " Clients, Persistence, Replication, Cluster and Beltway, nothing of the nodes. `CLIENT KILL` takes `ID` only;"
            + " `READONLY` and `READWRITE` are OK; `CLIENT SETINFO` and `NO-TOUCH` are there whatever the nodes' version."
            + " After `CLIENT REPLY OFF`, `QUIT` and protocol errors still end the connection.");
    NOTES.put(
        Treatment.FLUSH, "Done by every node, if the proxy was started with `--allow-flush`.");
  }

  private static String document() {
    StringBuilder text = new StringBuilder();
    text.append("# Redis commands through the proxy\n\n");
    text.append(
        "What is not said here is as at one server, byte for byte; a test compares them. Of commands that this list"
            + " doesn't have, such as those of modules, a node is asked once (`COMMAND INFO`); those with keys go to the"
            + " node that owns them, all others are refused. This page is written by `CommandDocumentTest`.\n\n"
            + "For all: a request has at most 1,048,576 arguments and a key at most 1 MiB. The order of replies that a server gives"
            + " in no order (`COMMAND LIST`, `ACL CAT`, members of a set) is a node's own. `SCRIPT EXISTS` is 1 if every node has the"
            + " script, so not after an `EVAL` at one of them.\n");
    NOTES.forEach(
        (treatment, note) -> {
          text.append("\n## ").append(title(treatment)).append("\n\n").append(note).append("\n\n");
          text.append(
              CommandTable.redis().commands().stream()
                  .filter(c -> c.treatment() == treatment && !c.container())
                  .map(c -> "`" + c.name().toUpperCase(java.util.Locale.ROOT) + "`")
                  .collect(Collectors.joining(" ")));
          text.append('\n');
        });
    text.append("\n## Refused\n\n| because | commands |\n|---|---|\n");
    Map<String, String> refused = new TreeMap<>();
    for (Command command : CommandTable.redis().commands()) {
      if (command.treatment() == Treatment.REFUSED && !command.container()) {
        refused.merge(
            command.reason(),
            "`" + command.name().toUpperCase(java.util.Locale.ROOT) + "`",
            (a, b) -> a + " " + b);
      }
    }
    refused.forEach(
        (reason, commands) ->
            text.append("| ").append(reason).append(" | ").append(commands).append(" |\n"));
    return text.toString();
  }

  private static String title(Treatment treatment) {
    String text = treatment.text();
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  @Test
  void theDocumentSaysWhatTheTableSays() throws Exception {
    Path file = Path.of(System.getProperty("beltway.root"), "docs", "redis-commands.md");
    if (Boolean.getBoolean("beltway.write")) {
      Files.writeString(file, document());
    }
    assertThat(Files.readString(file)).isEqualTo(document());
  }
}
