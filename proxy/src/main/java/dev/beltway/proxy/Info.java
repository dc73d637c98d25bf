package dev.beltway.proxy;

import dev.beltway.resp.command.FrameArguments;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What INFO answers: what clients look for in a server, and what Beltway has to say. */
final class Info {

  /** Said of a pool whose nodes have not answered yet. */
  private static final String UNKNOWN_VERSION = "7.0.0";

  private final Proxy proxy;

  Info(Proxy proxy) {
    this.proxy = proxy;
  }

  /** The lowest version among the nodes: what clients can count on. */
  String version(Worker worker) {
    String lowest = "";
    for (NodeLink link : worker.view().links()) {
      String version = link.version();
      if (!version.isEmpty() && (lowest.isEmpty() || isLower(version, lowest))) {
        lowest = version;
      }
    }
    return lowest.isEmpty() ? UNKNOWN_VERSION : lowest;
  }

  private static boolean isLower(String a, String b) {
    String[] left = a.split("\\.", -1);
    String[] right = b.split("\\.", -1);
    for (int i = 0; i < Math.min(left.length, right.length); i++) {
      int order = Integer.compare(number(left[i]), number(right[i]));
      if (order != 0) {
        return order < 0;
      }
    }
    return left.length < right.length;
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,8}") ? Integer.parseInt(text) : 0;
  }

  /** The sections that are asked for; all of them by default. */
  String text(Worker worker, FrameArguments request) {
    Map<String, String> sections = new LinkedHashMap<>();
    long uptime = ManagementFactory.getRuntimeMXBean().getUptime() / 1000;
    Routing routing = proxy.routing();
    sections.put(
        "Server",
        "redis_version:"
            + version(worker)
            + "\r\nredis_mode:standalone\r\nos:"
            + System.getProperty("os.name")
            + "\r\nprocess_id:"
            + ProcessHandle.current().pid()
            + "\r\ntcp_port:"
            + proxy.address().getPort()
            + "\r\nuptime_in_seconds:"
            + uptime
            + "\r\n");
    sections.put("Clients", "connected_clients:" + proxy.sessions() + "\r\n");
    sections.put("Persistence", "loading:0\r\nasync_loading:0\r\n");
    sections.put("Replication", "role:master\r\nconnected_slaves:0\r\n");
    sections.put("Cluster", "cluster_enabled:0\r\n");
    StringBuilder nodes = new StringBuilder();
    for (int i = 0; i < worker.view().links().size(); i++) {
      NodeLink link = worker.view().links().get(i);
      nodes
          .append("node")
          .append(i)
          .append(":id=")
          .append(link.id())
          .append(",address=")
          .append(link.node().address().orElse(""))
          .append(",state=")
          .append(proxy.health().state(link.id()).name().toLowerCase(Locale.ROOT))
          .append("\r\n");
    }
    sections.put(
        "Beltway",
        "beltway_proxy:"
            + proxy.settings().name()
            + "\r\nbeltway_epoch:"
            + routing.topology().epoch()
            + "\r\nbeltway_fingerprint:"
            + routing.fingerprint()
            + "\r\nbeltway_policy:"
            + proxy.settings().policy().name().toLowerCase(Locale.ROOT)
            + "\r\n"
            + nodes);
    StringBuilder text = new StringBuilder();
    sections.forEach(
        (name, lines) -> {
          if (isAsked(request, name)) {
            text.append(text.length() == 0 ? "" : "\r\n")
                .append("# ")
                .append(name)
                .append("\r\n")
                .append(lines);
          }
        });
    return text.toString();
  }

  private static boolean isAsked(FrameArguments request, String section) {
    if (request.count() == 1) {
      return true;
    }
    for (int i = 1; i < request.count(); i++) {
      if (request.is(i, section.toUpperCase(Locale.ROOT))
          || request.is(i, "ALL")
          || request.is(i, "DEFAULT")
          || request.is(i, "EVERYTHING")) {
        return true;
      }
    }
    return false;
  }
}
