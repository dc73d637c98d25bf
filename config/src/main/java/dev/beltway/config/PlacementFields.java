package dev.beltway.config;

import dev.beltway.hash.HashFunction;
import dev.beltway.hash.HashFunctions;
import dev.beltway.hash.PeerHashes;
import dev.beltway.token.Partitioner;
import dev.beltway.topology.FailureDomain;
import dev.beltway.topology.HaproxyRule;
import dev.beltway.topology.JumpRule;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.ModuloRule;
import dev.beltway.topology.NginxRule;
import dev.beltway.topology.Node;
import dev.beltway.topology.PlacementRule;
import dev.beltway.topology.Replication;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.SlicesRule;
import dev.beltway.topology.SlotsRule;
import dev.beltway.topology.WorkflowRule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The {@code placement} of a topology file, in and out: the fields of each algorithm, which are
 * these and no others.
 */
final class PlacementFields {

  private static final String ALGORITHMS =
      "ring, slices, slots, jump, modulo, ketama, nginx, haproxy, workflow";

  private final YamlMapping fields;

  private PlacementFields(YamlMapping fields) {
    this.fields = fields;
  }

  static PlacementRule read(YamlMapping placement) throws ConfigFileException {
    return new PlacementFields(placement).rule();
  }

  private PlacementRule rule() throws ConfigFileException {
    String algorithm =
        fields
            .text("algorithm")
            .orElseThrow(() -> fields.wrong("algorithm", "is missing; known are " + ALGORITHMS));
    return switch (algorithm) {
      case "ring" -> ring();
      case "slices" -> slices();
      case "slots" -> slots();
      case "jump" -> {
        JumpRule rule = new JumpRule(hash(), flag("hashTags", false));
        yield only(rule, "algorithm, hash, hashTags for algorithm jump");
      }
      case "modulo" -> {
        ModuloRule rule = new ModuloRule(hash(), flag("hashTags", false));
        yield only(rule, "algorithm, hash, hashTags for algorithm modulo");
      }
      case "ketama" -> ketama();
      case "nginx" ->
          only(
              new NginxRule(replication()),
              "algorithm, replicas, failureDomain for algorithm nginx");
      case "haproxy" -> haproxy();
      case "workflow" -> workflow();
      default ->
          throw fields.wrong(
              "algorithm", shortened(algorithm) + " is unknown; known are " + ALGORITHMS);
    };
  }

  private PlacementRule only(PlacementRule rule, String known) throws ConfigFileException {
    fields.refuseOthers(known);
    return rule;
  }

  private PlacementRule ring() throws ConfigFileException {
    HashFunction hash = hash();
    int vnodes = count("vnodes", Node.MOST_VNODES, RingRule.DEFAULT_VNODES);
    int minVnodes = count("minVnodes", Node.MOST_VNODES, RingRule.DEFAULT_MIN_VNODES);
    String separator = fields.text("separator").orElse(RingRule.DEFAULT_SEPARATOR);
    boolean hashTags = flag("hashTags", false);
    Replication replication = replication();
    int maxTokens = count("maxTokens", RingRule.MOST_TOKENS, RingRule.DEFAULT_MAX_TOKENS);
    fields.refuseOthers(
        "algorithm, hash, vnodes, minVnodes, separator, hashTags, replicas, failureDomain,"
            + " maxTokens");
    return fields.made(
        "separator",
        () -> new RingRule(hash, vnodes, minVnodes, separator, hashTags, replication, maxTokens));
  }

  private PlacementRule slices() throws ConfigFileException {
    HashFunction hash = hash();
    boolean hashTags = flag("hashTags", false);
    String allowed = "a number from 0 to " + SlicesRule.MOST_TOLERANCE;
    double tolerance = fields.number("tolerance", allowed).orElse(0.0);
    Replication replication = replication();
    fields.refuseOthers(
        "algorithm, hash, hashTags, tolerance, replicas, failureDomain for algorithm slices");
    return fields.made(
        "tolerance",
        () -> new SlicesRule(hash, hashTags, tolerance, replication, Optional.empty()));
  }

  private PlacementRule slots() throws ConfigFileException {
    int slots = count("slots", Partitioner.MOST_SLOTS, SlotsRule.REDIS_SLOTS);
    return only(
        new SlotsRule(slots, flag("hashTags", true)),
        "algorithm, slots, hashTags for algorithm slots");
  }

  private PlacementRule ketama() throws ConfigFileException {
    String variants =
        Arrays.stream(KetamaVariant.values())
            .map(KetamaVariant::text)
            .collect(Collectors.joining(", "));
    String name =
        fields
            .text("variant")
            .orElseThrow(() -> fields.wrong("variant", "is missing; known are " + variants));
    KetamaVariant variant =
        KetamaVariant.named(name)
            .orElseThrow(
                () ->
                    fields.wrong(
                        "variant", shortened(name) + " is unknown; known are " + variants));
    HashFunction keyHash = variant.defaultKeyHash();
    Optional<String> stated = fields.text("keyHash");
    if (stated.isPresent()) {
      HashFunction named = variant.keyHashes().get(stated.get());
      if (named == null) {
        throw fields.wrong(
            "keyHash",
            shortened(stated.get())
                + " is unknown to "
                + variant.text()
                + "; known are "
                + String.join(", ", variant.keyHashes().keySet()));
      }
      keyHash = named;
    }
    return only(
        new KetamaRule(variant, keyHash, flag("hashTags", false), replication()),
        "algorithm, variant, keyHash, hashTags, replicas, failureDomain for algorithm ketama");
  }

  private PlacementRule haproxy() throws ConfigFileException {
    Optional<String> stated = fields.text("function");
    String function = stated.orElse(HaproxyRule.DEFAULT.function());
    // As in HAProxy: a bare `hash-type consistent` mixes, a stated function doesn't unless told.
    boolean avalanche = flag("avalanche", stated.isEmpty());
    fields.refuseOthers("algorithm, function, avalanche for algorithm haproxy");
    return fields.made("function", () -> new HaproxyRule(function, avalanche));
  }

  private PlacementRule workflow() throws ConfigFileException {
    HashFunction hash = PeerHashes.STD_HASH;
    Optional<String> stated = fields.text("hash");
    if (stated.isPresent() && stated.get().equals(PeerHashes.STD_HASH_32.name())) {
      hash = PeerHashes.STD_HASH_32;
    } else if (stated.isPresent() && !stated.get().equals(PeerHashes.STD_HASH.name())) {
      hash = named("hash", stated.get(), ", std_hash, std_hash_32");
    }
    HashFunction chosen = hash;
    int ipCount =
        fields
            .integer("ipCount", 0, 1000)
            .map(Long::intValue)
            .orElse(WorkflowRule.DEFAULT.ipCount());
    return only(
        new WorkflowRule(chosen, ipCount, replication()),
        "algorithm, hash, ipCount, replicas, failureDomain for algorithm workflow");
  }

  private Replication replication() throws ConfigFileException {
    int replicas = count("replicas", Replication.MOST, 1);
    Optional<String> stated = fields.text("failureDomain");
    FailureDomain domain = Replication.NONE.domain();
    if (stated.isPresent()) {
      domain =
          Arrays.stream(FailureDomain.values())
              .filter(value -> value.text().equals(stated.get()))
              .findFirst()
              .orElseThrow(
                  () ->
                      fields.wrong(
                          "failureDomain",
                          shortened(stated.get()) + " is unknown; known are node, zone, host"));
    }
    return new Replication(replicas, domain);
  }

  private HashFunction hash() throws ConfigFileException {
    Optional<String> name = fields.text("hash");
    return name.isEmpty() ? HashFunctions.XXH3_64 : named("hash", name.get(), "");
  }

  private HashFunction named(String field, String name, String others) throws ConfigFileException {
    HashFunction hash = HashFunctions.all().get(name);
    if (hash == null) {
      throw fields.wrong(
          field,
          shortened(name)
              + " is unknown; known are "
              + String.join(", ", HashFunctions.all().keySet())
              + others);
    }
    return hash;
  }

  private int count(String field, int most, int otherwise) throws ConfigFileException {
    return fields.integer(field, 1, most).map(Long::intValue).orElse(otherwise);
  }

  private boolean flag(String field, boolean otherwise) throws ConfigFileException {
    return fields.flag(field).orElse(otherwise);
  }

  private static String shortened(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }

  /** The fields that {@link #read} makes an equal rule of, slice tables aside. */
  static Map<String, Object> of(PlacementRule rule) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("algorithm", rule.algorithm());
    if (rule instanceof RingRule ring) {
      fields.put("hash", ring.hash().name());
      fields.put("vnodes", ring.vnodes());
      fields.put("minVnodes", ring.minVnodes());
      fields.put("separator", ring.separator());
      fields.put("hashTags", ring.hashTags());
      putReplication(fields, rule.replication());
      fields.put("maxTokens", ring.maxTokens());
    } else if (rule instanceof ModuloRule modulo) {
      fields.put("hash", modulo.hash().name());
      fields.put("hashTags", modulo.hashTags());
    } else if (rule instanceof JumpRule jump) {
      fields.put("hash", jump.hash().name());
      fields.put("hashTags", jump.hashTags());
    } else if (rule instanceof SlotsRule slots) {
      fields.put("slots", slots.slots());
      fields.put("hashTags", slots.hashTags());
    } else if (rule instanceof SlicesRule slices) {
      fields.put("hash", slices.hash().name());
      fields.put("hashTags", slices.hashTags());
      fields.put("tolerance", slices.tolerance() == 0 ? (Object) 0 : slices.tolerance());
      putReplication(fields, rule.replication());
    } else if (rule instanceof KetamaRule ketama) {
      fields.put("variant", ketama.variant().text());
      fields.put("keyHash", PeerHashes.shortName(ketama.keyHash()));
      fields.put("hashTags", ketama.hashTags());
      putReplication(fields, rule.replication());
    } else if (rule instanceof NginxRule) {
      putReplication(fields, rule.replication());
    } else if (rule instanceof HaproxyRule haproxy) {
      fields.put("function", haproxy.function());
      fields.put("avalanche", haproxy.avalanche());
    } else if (rule instanceof WorkflowRule workflow) {
      fields.put("hash", workflow.hash().name());
      fields.put("ipCount", workflow.ipCount());
      putReplication(fields, rule.replication());
    }
    return fields;
  }

  private static void putReplication(Map<String, Object> fields, Replication replication) {
    fields.put("replicas", replication.replicas());
    if (replication.domain() != Replication.NONE.domain()) {
      fields.put("failureDomain", replication.domain().text());
    }
  }
}
