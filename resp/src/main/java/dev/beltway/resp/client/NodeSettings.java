package dev.beltway.resp.client;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Optional;

/**
 * How nodes are talked to.
 *
 * @param user the ACL user, {@code default} for a bare password
 * @param password of that user; empty for nodes that ask for none
 * @param clientName what {@code CLIENT LIST} shows at the node
 * @param tls how to encrypt, if so
 * @param connectTimeout for a connection with all that comes before its first request
 * @param requestTimeout from handing over a request to its reply
 * @param queued the most requests that wait on one connection
 * @param queuedBytes the most bytes of requests that wait on one connection
 * @param backoff between tries to connect
 */
public record NodeSettings(
    String user,
    Optional<String> password,
    String clientName,
    Optional<SslContext> tls,
    Duration connectTimeout,
    Duration requestTimeout,
    int queued,
    long queuedBytes,
    Backoff backoff) {

  /** Without password and TLS; 1 s to connect, 3 s for a request. */
  public static NodeSettings plain(String clientName) {
    return new NodeSettings(
        "default",
        Optional.empty(),
        clientName,
        Optional.empty(),
        Duration.ofSeconds(1),
        Duration.ofSeconds(3),
        1 << 17,
        256L << 20,
        Backoff.USUAL);
  }

  /** With a login. */
  public NodeSettings withLogin(String newUser, String newPassword) {
    return new NodeSettings(
        newUser,
        Optional.of(newPassword),
        clientName,
        tls,
        connectTimeout,
        requestTimeout,
        queued,
        queuedBytes,
        backoff);
  }

  /** Encrypted. */
  public NodeSettings withTls(SslContext context) {
    return new NodeSettings(
        user,
        password,
        clientName,
        Optional.of(context),
        connectTimeout,
        requestTimeout,
        queued,
        queuedBytes,
        backoff);
  }

  /** With another limit for requests. */
  public NodeSettings withRequestTimeout(Duration limit) {
    return new NodeSettings(
        user, password, clientName, tls, connectTimeout, limit, queued, queuedBytes, backoff);
  }
}
