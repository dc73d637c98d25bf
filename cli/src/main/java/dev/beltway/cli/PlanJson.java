package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.plan.Flow;
import dev.beltway.plan.KeySurvey;
import dev.beltway.plan.Limits;
import dev.beltway.plan.Move;
import dev.beltway.plan.NodeChange;
import dev.beltway.plan.Outage;
import dev.beltway.plan.Plan;
import dev.beltway.plan.Planner;
import dev.beltway.plan.Step;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A plan as JSON. Shares are fractions from 0 to 1; fields are described in docs/commands.md. */
final class PlanJson {

  private PlanJson() {}

  static ObjectNode of(Plan plan, Planner planner, boolean ranges) {
    ObjectNode root = Json.object();
    root.set("before", topology(plan.before()));
    root.set("after", topology(plan.after()));
    root.set("moved", movement(plan));
    root.set("flows", flows(plan.difference().flows()));
    if (ranges) {
      ArrayNode moves = root.putArray("ranges");
      for (Move move : plan.difference().moves()) {
        moves
            .addObject()
            .put("start", String.format(Locale.ROOT, "%016x", move.range().start()))
            .put("end", String.format(Locale.ROOT, "%016x", move.range().end()))
            .put("share", move.range().share().fraction())
            .put("from", move.from())
            .put("to", move.to());
      }
    }
    root.set("nodes", nodes(plan));
    root.set("balance", balance(plan));
    plan.keys().ifPresent(keys -> root.set("keys", survey(keys)));
    ObjectNode estimate = root.putObject("estimate");
    Json.put(estimate, "allKeys", plan.sizing().keyCount());
    Json.put(estimate, "keys", plan.estimate().keys());
    Json.put(estimate, "bytes", plan.estimate().bytes());
    Json.put(estimate, "seconds", plan.estimate().seconds());
    ArrayNode steps = root.putArray("steps");
    plan.steps().forEach(step -> steps.add(step(step)));
    plan.outage().ifPresent(outage -> root.set("down", outage(outage)));
    ArrayNode limits = root.putArray("limits");
    for (Limits.Verdict verdict : plan.verdicts()) {
      limits
          .addObject()
          .put("limit", verdict.name())
          .put("allowed", verdict.limit())
          .put("actual", verdict.actual())
          .put("node", verdict.where())
          .put("met", verdict.met());
    }
    ArrayNode warnings = root.putArray("warnings");
    plan.warnings().forEach(warnings::add);
    planner
        .withFewestMoves()
        .filter(better -> better.slotTable().isPresent())
        .ifPresent(
            better -> {
              ObjectNode slots = root.putObject("fewestMoves");
              for (Node node : better.nodes()) {
                node.slots().ifPresent(s -> slots.put(node.id(), s.toString()));
              }
            });
    return root;
  }

  static ObjectNode topology(Topology topology) {
    return Json.object()
        .put("epoch", topology.epoch())
        .put("fingerprint", topology.fingerprint().hex())
        .put("algorithm", topology.rule().algorithm())
        .put("hash", topology.rule().partitioner().hash().name())
        .put("nodes", topology.nodes().size())
        .put("tokens", topology.tokens());
  }

  private static ObjectNode movement(Plan plan) {
    Plan.Movement moved = plan.moved();
    ObjectNode object =
        Json.object()
            .put("exact", plan.difference().isExact())
            .put("total", moved.total())
            .put("least", moved.least())
            .put("betweenStaying", moved.betweenStaying())
            .put("unexplained", moved.unexplained())
            .put("joiningOwn", moved.joiningOwn())
            .put("joiningFair", moved.joiningFair())
            .put("byModulo", moved.byModulo());
    if (plan.difference().isExact()) {
      object.put("ranges", plan.difference().moves().size());
    } else {
      object.put("samples", LoadReport.SAMPLES);
    }
    return object;
  }

  static ArrayNode flows(List<Flow> flows) {
    ArrayNode list = Json.object().arrayNode();
    for (Flow flow : flows) {
      list.addObject().put("from", flow.from()).put("to", flow.to()).put("share", flow.share());
    }
    return list;
  }

  private static ArrayNode nodes(Plan plan) {
    ArrayNode list = Json.object().arrayNode();
    Map<String, NodeLoad> before = plan.loadBefore().byId();
    Map<String, NodeLoad> after = plan.loadAfter().byId();
    for (NodeChange change : plan.changes()) {
      ObjectNode object =
          list.addObject()
              .put("id", change.id())
              .put("change", name(change.kind()))
              .put("holdsBefore", change.before())
              .put("holdsAfter", change.after());
      NodeLoad none = new NodeLoad(change.id(), 0, 0);
      load(object, "Before", before.getOrDefault(change.id(), none));
      load(object, "After", after.getOrDefault(change.id(), none));
      double share = after.getOrDefault(change.id(), none).share();
      Json.put(object, "keysAfter", plan.sizing().keys(share));
      Json.put(object, "bytesAfter", plan.sizing().bytes(share));
    }
    return list;
  }

  private static void load(ObjectNode object, String when, NodeLoad node) {
    object.put("fair" + when, node.fair());
    object.put("share" + when, node.share());
    if (!Double.isInfinite(node.overFair())) {
      object.put("overFair" + when, node.overFair());
    }
  }

  private static ObjectNode balance(Plan plan) {
    ObjectNode object = Json.object();
    balance(object.putObject("before"), plan.before(), plan.loadBefore());
    balance(object.putObject("after"), plan.after(), plan.loadAfter());
    return object;
  }

  private static void balance(ObjectNode object, Topology topology, LoadReport load) {
    object.put("maxOverMean", load.maxOverMean());
    if (!Double.isInfinite(load.maxOverMin())) {
      object.put("maxOverMin", load.maxOverMin());
    }
    object.put("cv", load.cv());
    Json.put(object, "theoreticalCv", LoadReport.theoreticalCv(topology));
  }

  private static ObjectNode survey(KeySurvey survey) {
    ObjectNode object = Json.object();
    object.set("lines", tally(survey.requests()));
    survey.keys().ifPresent(tally -> object.set("different", tally(tally)));
    return object;
  }

  private static ObjectNode tally(KeySurvey.Tally tally) {
    ObjectNode object =
        Json.object()
            .put("total", tally.total())
            .put("moved", tally.moved())
            .put("movedByModulo", tally.movedByModulo());
    counts(object.putObject("before"), tally.before());
    counts(object.putObject("after"), tally.after());
    return object;
  }

  private static void counts(ObjectNode object, Map<String, Long> counts) {
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> object.put(entry.getKey(), entry.getValue()));
  }

  private static ObjectNode step(Step step) {
    ObjectNode object =
        Json.object()
            .put("number", step.number())
            .put("node", step.node())
            .put("change", name(step.kind()))
            .put("unit", step.unit())
            .put("from", step.from())
            .put("to", step.to())
            .put("detail", step.detail())
            .put("moved", step.moved());
    Json.put(object, "keys", step.keys());
    Json.put(object, "seconds", step.seconds());
    return object.put("flag", step.flag());
  }

  private static ObjectNode outage(Outage outage) {
    ObjectNode object =
        Json.object()
            .put("node", outage.node())
            .put("lost", outage.lost())
            .put("movedBetweenOthers", outage.movedBetweenOthers())
            .put("note", outage.note());
    ArrayNode receivers = object.putArray("others");
    for (Outage.Receiver receiver : outage.receivers()) {
      ObjectNode node =
          receivers
              .addObject()
              .put("id", receiver.id())
              .put("gained", receiver.gained())
              .put("share", receiver.load().share())
              .put("fair", receiver.load().fair());
      Json.put(node, "keys", receiver.keys());
    }
    return object;
  }

  private static String name(NodeChange.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
