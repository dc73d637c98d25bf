package dev.beltway.proxy;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes slow requests, a few a second at most: which command, which node, how long, whose. */
final class SlowLog {

  private static final Logger LOG = LoggerFactory.getLogger("dev.beltway.proxy.slow");

  private static final int MOST_A_SECOND = 10;

  private long second;
  private int noted;

  synchronized void note(Request request, long nanos) {
    long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (now != second) {
      second = now;
      noted = 0;
    }
    if (noted++ >= MOST_A_SECOND) {
      return;
    }
    Session session = request.session;
    NodeLink node = request.node;
    LOG.atWarn()
        .addKeyValue("command", Traffic.names().get(request.command))
        .addKeyValue("node", node == null ? "several" : node.id())
        .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(nanos))
        .addKeyValue("client", session == null ? "" : session.address())
        .log("slow request");
  }
}
