package dev.beltway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** Certificates and keys in PEM files, for the API's TLS. */
final class Pem {

  private Pem() {}

  static SslContextFactory.@Nullable Server server(@Nullable Path cert, @Nullable Path key)
      throws BadInputException {
    if (cert == null && key == null) {
      return null;
    }
    if (cert == null || key == null) {
      throw new BadInputException("--tls-cert and --tls-key go together");
    }
    try (InputStream in = Files.newInputStream(cert)) {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(in)
              .toArray(new Certificate[0]);
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, new char[0]);
      store.setKeyEntry("beltway", privateKey(key), new char[0], chain);
      SslContextFactory.Server server = new SslContextFactory.Server();
      server.setKeyStore(store);
      server.setKeyStorePassword("");
      server.setSniRequired(false);
      return server;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new BadInputException("--tls-cert, --tls-key: " + e.getMessage());
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    String text = Files.readString(file);
    String body = text.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body));
    for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // It is a key of another kind.
      }
    }
    throw new InvalidKeySpecException(file + " is no private key of RSA, EC or Ed25519 in PKCS #8");
  }
}
