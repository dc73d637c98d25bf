package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.RedisProcess;
import dev.beltway.resp.client.NodeSettings;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS on both sides. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class TlsTest {

  private static final String PASSWORD = "changeit";

  private static void pem(Path file, String kind, byte[] bytes) throws IOException {
    Files.writeString(
        file,
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + kind
            + "-----\n");
  }

  private static void certificate(Path folder) throws Exception {
    Path store = folder.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-ext",
                "bc=ca:true",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (FileInputStream in = new FileInputStream(store.toFile())) {
      keys.load(in, PASSWORD.toCharArray());
    }
    pem(folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("a").getEncoded());
    pem(
        folder.resolve("key.pem"),
        "PRIVATE KEY",
        keys.getKey("a", PASSWORD.toCharArray()).getEncoded());
  }

  @Test
  void bothSidesAreEncrypted(@TempDir Path folder) throws Exception {
    certificate(folder);
    String cert = folder.resolve("cert.pem").toString();
    String key = folder.resolve("key.pem").toString();
    SslContext server =
        SslContextBuilder.forServer(Path.of(cert).toFile(), Path.of(key).toFile())
            .sslProvider(SslProvider.JDK)
            .build();
    SslContext trusting =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(Path.of(cert).toFile())
            .endpointIdentificationAlgorithm("HTTPS")
            .build();
    int tlsPort = RedisProcess.freePort();
    try (RedisProcess redis =
        RedisProcess.start(
            "--tls-port",
            Integer.toString(tlsPort),
            "--tls-cert-file",
            cert,
            "--tls-key-file",
            key,
            "--tls-ca-cert-file",
            cert,
            "--tls-auth-clients",
            "no")) {
      Topology topology =
          new Topology(
              1,
              Pool.topology(List.of(redis)).rule(),
              List.of(Node.of("n1").withAddress("127.0.0.1:" + tlsPort)));
      try (Pool pool =
              Pool.over(
                  List.of(),
                  topology,
                  s ->
                      SettingsDraft.of(
                          s,
                          d -> {
                            d.tls = Optional.of(server);
                            d.nodes = s.nodes().withTls(trusting);
                          }));
          PlainClient client =
              PlainClient.login(
                  pool.address(),
                  NodeSettings.plain("client").withTls(trusting),
                  Duration.ofSeconds(20))) {
        byte[] large = new byte[3 << 20];
        Arrays.fill(large, (byte) 'x');
        for (int i = 0; i < 50; i++) {
          assertThat(RespReader.text(client.ask("SET", "k" + i, "v" + i))).isEqualTo("OK");
          assertThat(RespReader.text(client.ask("GET", "k" + i))).isEqualTo("v" + i);
        }
        client.tell(
            "SET".getBytes(StandardCharsets.UTF_8),
            "large".getBytes(StandardCharsets.UTF_8),
            large);
        assertThat((byte[]) client.ask("GET", "large")).isEqualTo(large);
        assertThat(redis.ask("DBSIZE")).isEqualTo(51L);
        // Plain text is no greeting here.
        try (PlainClient plain = PlainClient.connect(pool.address(), Duration.ofSeconds(5))) {
          org.assertj.core.api.Assertions.assertThatThrownBy(() -> plain.ask("PING"))
              .isInstanceOf(IOException.class);
        }
        assertThat(RespReader.text(client.ask("PING"))).isEqualTo("PONG");
      }
    }
  }
}
