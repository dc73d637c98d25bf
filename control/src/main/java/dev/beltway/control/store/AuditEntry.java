package dev.beltway.control.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/**
 * Who changed what, when and why; written in the same transaction as the change.
 *
 * @param at when
 * @param who asked for it, or the program itself
 * @param what happened
 * @param why as they said it
 * @param version of the state afterwards
 * @param phase afterwards
 * @param epoch before the change, or that holds
 * @param fingerprint of the mapping before
 * @param nextEpoch of the mapping afterwards; 0 if none
 * @param nextFingerprint of the mapping afterwards; empty if none
 */
public record AuditEntry(
    Instant at,
    String who,
    String what,
    String why,
    long version,
    String phase,
    long epoch,
    String fingerprint,
    long nextEpoch,
    String nextFingerprint) {

  /** As a document. */
  public ObjectNode json() {
    return Codec.object()
        .put("at", at.toString())
        .put("who", who)
        .put("what", what)
        .put("why", why)
        .put("version", version)
        .put("phase", phase)
        .put("epoch", epoch)
        .put("fingerprint", fingerprint)
        .put("nextEpoch", nextEpoch)
        .put("nextFingerprint", nextFingerprint);
  }

  static AuditEntry read(JsonNode node) {
    return new AuditEntry(
        Instant.parse(node.path("at").asText()),
        node.path("who").asText(),
        node.path("what").asText(),
        node.path("why").asText(),
        node.path("version").asLong(),
        node.path("phase").asText(),
        node.path("epoch").asLong(),
        node.path("fingerprint").asText(),
        node.path("nextEpoch").asLong(),
        node.path("nextFingerprint").asText());
  }
}
