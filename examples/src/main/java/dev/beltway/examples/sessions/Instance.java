package dev.beltway.examples.sessions;

import dev.beltway.topology.Node;
import io.javalin.Javalin;
import io.javalin.websocket.WsContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One instance of the service: it counts the messages of each session. Where a session doesn't
 * belong here it is closed with {@link #MOVED}, and its client asks the directory for another
 * place.
 */
public final class Instance implements AutoCloseable {

  /** The close code that tells a client to ask where its session is now. */
  public static final int MOVED = 4001;

  private final String id;
  private final Directory directory;
  private final Map<String, WsContext> sessions = new ConcurrentHashMap<>();
  private final Javalin server;

  /** Starts one on a port of its own. */
  public Instance(String id, Directory directory) {
    this.id = id;
    this.directory = directory;
    this.server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.routes.ws(
                      "/session/{id}",
                      ws -> {
                        ws.onConnect(this::connected);
                        ws.onMessage(
                            context ->
                                context.send(
                                    Long.parseLong(context.message()) + 1 + " at " + this.id));
                        ws.onClose(context -> sessions.remove(context.pathParam("id"), context));
                      });
                })
            .start("127.0.0.1", 0);
  }

  private void connected(WsContext context) {
    String session = context.pathParam("id");
    boolean mine = directory.find(session).filter(node -> node.id().equals(id)).isPresent();
    if (mine) {
      sessions.put(session, context);
    } else {
      context.closeSession(MOVED, "not here");
    }
  }

  /** As the directory knows it. */
  public Node node() {
    return Node.of(id).withAddress("127.0.0.1:" + server.port());
  }

  /** Tells sessions that they belong elsewhere now. */
  public void move(Iterable<String> moved) {
    for (String session : moved) {
      WsContext context = sessions.remove(session);
      if (context != null) {
        context.closeSession(MOVED, "moved");
      }
    }
  }

  /** How many sessions are connected. */
  public int sessions() {
    return sessions.size();
  }

  @Override
  public void close() {
    server.stop();
  }
}
