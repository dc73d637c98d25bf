package dev.beltway.resp.command;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which command is treated how, where that doesn't follow from its keys. */
final class Treatments {

  private static final Map<String, Treatment> BY_NAME = new HashMap<>();
  private static final Map<String, String> REFUSED = new HashMap<>();

  static {
    put(Treatment.SPLIT, "mget", "mset", "del", "unlink", "exists", "touch");
    put(Treatment.EVERY_NODE, "dbsize", "keys", "randomkey", "scan");
    put(Treatment.EVERY_NODE, "script exists", "script kill", "function kill");
    put(Treatment.EVERY_NODE, "pubsub channels", "pubsub numsub", "pubsub numpat");
    put(Treatment.EVERY_NODE, "pubsub shardchannels", "pubsub shardnumsub");
    put(Treatment.REMEMBERED, "script load", "script flush");
    put(Treatment.REMEMBERED, "function load", "function delete", "function flush");
    put(Treatment.EVERY_NODE, "function restore");
    put(Treatment.ANY_NODE, "command", "command count", "command docs", "command getkeys");
    put(Treatment.ANY_NODE, "command getkeysandflags", "command help", "command info");
    put(Treatment.ANY_NODE, "command list", "function list", "function dump", "function stats");
    put(Treatment.ANY_NODE, "function help", "script help", "pubsub help", "object help");
    put(Treatment.ANY_NODE, "memory help", "xgroup help", "xinfo help", "time", "lolwut");
    put(Treatment.ANY_NODE, "acl cat", "acl genpass");
    put(Treatment.LOCAL, "ping", "echo", "quit", "reset", "select", "auth", "hello", "info");
    put(Treatment.LOCAL, "client id", "client info", "client list", "client getname");
    put(Treatment.LOCAL, "client setname", "client setinfo", "client no-evict", "client no-touch");
    put(Treatment.LOCAL, "client reply", "client kill", "client unblock", "client help");
    put(Treatment.LOCAL, "config get", "readonly", "readwrite", "acl whoami");
    put(Treatment.BLOCKING, "blmove", "blmpop", "blpop", "brpop", "brpoplpush", "bzmpop");
    put(Treatment.BLOCKING, "bzpopmax", "bzpopmin", "xread", "xreadgroup");
    put(Treatment.TRANSACTION, "multi", "exec", "discard", "watch", "unwatch");
    put(Treatment.SUBSCRIBE, "subscribe", "unsubscribe", "psubscribe", "punsubscribe");
    put(Treatment.SUBSCRIBE, "ssubscribe", "sunsubscribe");
    put(Treatment.CHANNEL, "publish", "spublish");
    put(Treatment.FLUSH, "flushdb", "flushall");

    String node = "it is about one node; ask the node itself";
    refuse(node, "acl", "bgrewriteaof", "bgsave", "config", "debug", "failover", "lastsave");
    refuse(
        node, "latency", "module", "monitor", "psync", "replconf", "replicaof", "restore-asking");
    refuse(node, "role", "save", "shutdown", "slaveof", "slowlog", "sync", "pfdebug", "pfselftest");
    refuse(node, "memory doctor", "memory malloc-stats", "memory purge", "memory stats");
    refuse(node, "script debug", "client pause", "client unpause");
    refuse("a client that knew the nodes would go round the proxy", "cluster", "asking");
    refuse("keys are moved by Beltway alone", "migrate", "move", "swapdb");
    refuse("the proxy shares its connections to nodes", "client caching", "client getredir");
    refuse("the proxy shares its connections to nodes", "client tracking", "client trackinginfo");
    refuse("the writes of one client go to several nodes", "wait", "waitaof");
  }

  private Treatments() {}

  private static void put(Treatment treatment, String... names) {
    for (String name : names) {
      BY_NAME.put(name, treatment);
    }
  }

  private static void refuse(String reason, String... names) {
    put(Treatment.REFUSED, names);
    for (String name : names) {
      REFUSED.put(name, reason);
    }
  }

  /** By the command's name, else by its container's, else by whether it has keys. */
  static Treatment of(String name, List<KeyGroup> keys) {
    Treatment stated = BY_NAME.get(name);
    if (stated == null && name.indexOf(' ') > 0) {
      stated = BY_NAME.get(name.substring(0, name.indexOf(' ')));
    }
    if (stated != null) {
      return stated;
    }
    return keys.isEmpty() ? Treatment.REFUSED : Treatment.ONE_NODE;
  }

  static String reason(String name) {
    String reason = REFUSED.get(name);
    if (reason == null && name.indexOf(' ') > 0) {
      reason = REFUSED.get(name.substring(0, name.indexOf(' ')));
    }
    return reason == null ? "it names no key by which to route it" : reason;
  }
}
