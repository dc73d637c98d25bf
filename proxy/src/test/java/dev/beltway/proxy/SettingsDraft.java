package dev.beltway.proxy;

import dev.beltway.proxy.access.Users;
import dev.beltway.resp.client.NodeSettings;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.function.Consumer;

/** Settings of a proxy with some of them changed. */
final class SettingsDraft {

  int loops;
  int databases;
  long memoryBytes;
  boolean allowFlush;
  FailurePolicy policy;
  Users users;
  Optional<SslContext> tls;
  NodeSettings nodes;

  private SettingsDraft(ProxySettings from) {
    loops = from.loops();
    databases = from.databases();
    memoryBytes = from.memoryBytes();
    allowFlush = from.allowFlush();
    policy = from.policy();
    users = from.users();
    tls = from.tls();
    nodes = from.nodes();
  }

  static ProxySettings of(ProxySettings from, Consumer<SettingsDraft> change) {
    SettingsDraft draft = new SettingsDraft(from);
    change.accept(draft);
    return new ProxySettings(
        from.name(),
        from.listen(),
        draft.loops,
        draft.databases,
        from.clients(),
        from.pipelined(),
        draft.memoryBytes,
        draft.allowFlush,
        draft.policy,
        draft.users,
        draft.tls,
        draft.nodes,
        from.slow(),
        from.drain(),
        from.hold());
  }
}
