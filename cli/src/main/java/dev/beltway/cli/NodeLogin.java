package dev.beltway.cli;

import dev.beltway.resp.client.Backoff;
import dev.beltway.resp.client.NodeSettings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command logs in to the nodes; the password is in the environment. */
final class NodeLogin {

  private static final int QUEUED = 1 << 17;
  private static final long QUEUED_BYTES = 256L << 20;

  @Option(
      names = "--node-user",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "The ACL user at the nodes; ${DEFAULT-VALUE} by default.")
  private String nodeUser = "default";

  @Option(names = "--node-tls", description = "Use TLS to the nodes.")
  private boolean nodeTls;

  @Option(
      names = "--node-ca",
      paramLabel = "FILE",
      description = "Certificates (PEM) that nodes' certificates are checked against.")
  private @Nullable Path nodeCa;

  NodeSettings settings(String name) throws BadInputException {
    return settings(name, Duration.ofSeconds(3));
  }

  NodeSettings settings(String name, Duration requestTimeout) throws BadInputException {
    String password = System.getenv("BELTWAY_NODE_PASSWORD");
    Optional<SslContext> tls = Optional.empty();
    if (nodeTls || nodeCa != null) {
      try {
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        if (nodeCa != null) {
          builder.trustManager(nodeCa.toFile());
        }
        builder.endpointIdentificationAlgorithm("HTTPS");
        tls = Optional.of(builder.build());
      } catch (SSLException | IllegalArgumentException e) {
        throw new BadInputException("--node-ca: " + e.getMessage());
      }
    }
    return new NodeSettings(
        nodeUser,
        Optional.ofNullable(password).filter(p -> !p.isEmpty()),
        "beltway-" + name,
        tls,
        Duration.ofSeconds(1),
        requestTimeout,
        QUEUED,
        QUEUED_BYTES,
        Backoff.USUAL);
  }
}
