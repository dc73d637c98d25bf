package dev.beltway.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.balance.NodeLoad;
import dev.beltway.lab.load.Count;
import dev.beltway.lab.load.HotKey;
import dev.beltway.lab.load.HotList;
import dev.beltway.lab.load.LoadFindings;
import dev.beltway.lab.load.LogMovement;
import dev.beltway.lab.load.NodeFigures;
import dev.beltway.lab.load.NodeLoads;
import dev.beltway.lab.load.Remedy;
import dev.beltway.lab.log.LogCounts;
import dev.beltway.lab.log.Request;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

/** What a log does, as JSON. Shares are fractions from 0 to 1; see docs/commands.md. */
final class LogJson {

  private LogJson() {}

  static ObjectNode of(LogStory story) {
    LoadFindings findings = story.findings();
    ObjectNode root = Json.object();
    root.put("log", story.names());
    root.put("format", story.format().name());
    root.set("read", read(story.read()));
    if (findings.firstTime() != Request.NO_TIME) {
      root.put("from", Instant.ofEpochMilli(findings.firstTime()).toString());
      root.put("to", Instant.ofEpochMilli(findings.lastTime()).toString());
    }
    root.set("load", loads(findings.loads()));
    findings.movement().ifPresent(moved -> root.set("movement", movement(moved)));
    root.set("hottest", hot(findings.hottest().first(story.top())));
    root.set("heaviest", hot(findings.heaviest().first(story.top())));
    root.put("leastMaxOverFair", findings.leastMaxOverFair());
    root.set("withoutHottest", balance(story.withoutHottest()));
    ArrayNode remedies = root.putArray("remedies");
    story.remedies().forEach(remedy -> remedies.add(remedy(remedy)));
    return root;
  }

  static ObjectNode read(LogFiles.Outcome read) {
    LogCounts counts = read.counts();
    ObjectNode object =
        Json.object()
            .put("lines", counts.lines())
            .put("used", counts.used())
            .put("requests", counts.requests())
            .put("unended", counts.unended());
    ObjectNode skipped = object.putObject("skipped");
    counts
        .skipped()
        .forEach(
            (reason, those) ->
                skipped
                    .putObject(reason.name().toLowerCase(Locale.ROOT))
                    .put("lines", those.lines())
                    .put("first", those.first()));
    object.put("partial", read.damage().isPresent());
    read.damage().ifPresent(damage -> object.put("damage", damage));
    return object;
  }

  private static ObjectNode loads(NodeLoads loads) {
    ObjectNode object = Json.object();
    object.set("topology", PlanJson.topology(loads.topology()));
    object.set("keys", count(loads.allKeys()));
    object.put("requests", loads.requests());
    object.put("bytes", loads.bytes());
    ObjectNode balance = object.putObject("balance");
    balance.set("expected", balance(loads.expected()));
    balance.set("keys", balance(loads.byKeys()));
    balance.set("requests", balance(loads.byRequests()));
    if (loads.bytes() > 0) {
      balance.set("bytes", balance(loads.byBytes()));
    }
    Json.put(balance, "theoreticalCv", loads.theoreticalCv());
    ArrayNode nodes = object.putArray("nodes");
    Map<String, NodeLoad> expected = loads.expected().byId();
    for (NodeFigures node : loads.nodes()) {
      ObjectNode one = nodes.addObject().put("id", node.id());
      NodeLoad even = expected.get(node.id());
      if (even != null) {
        one.put("fair", even.fair()).put("expected", even.share());
      }
      one.set("keys", count(node.keys()));
      one.put("requests", node.requests()).put("bytes", node.bytes());
    }
    return object;
  }

  private static ObjectNode movement(LogMovement moved) {
    ObjectNode object = Json.object();
    object.set("keys", count(moved.keys()));
    object.put("requests", moved.requests());
    object.put("bytes", moved.bytes());
    object.put("betweenStaying", moved.betweenStaying());
    object.set("flows", PlanJson.flows(moved.flows()));
    object.set("load", loads(moved.after()));
    return object;
  }

  private static ObjectNode hot(HotList list) {
    ObjectNode object =
        Json.object()
            .put("error", list.error())
            .put("missedBelow", list.missedBelow())
            .put("certain", list.certain());
    ArrayNode keys = object.putArray("keys");
    for (HotKey key : list.keys()) {
      ObjectNode one =
          keys.addObject()
              .put("key", key.key().text())
              .put("hex", HexFormat.of().formatHex(key.key().bytes()))
              .put("owner", key.owner())
              .put("reads", key.reads());
      one.set("amount", count(key.amount()));
    }
    return object;
  }

  private static ObjectNode remedy(Remedy remedy) {
    ObjectNode object =
        Json.object()
            .put("kind", remedy.kind().name().toLowerCase(Locale.ROOT))
            .put("amount", remedy.amount())
            .put("keys", remedy.keys())
            .put("requests", remedy.total());
    object.set("balance", balance(remedy.requests()));
    return object;
  }

  private static ObjectNode count(Count count) {
    return Json.object()
        .put("estimate", Math.round(count.estimate()))
        .put("lower", (long) Math.floor(count.lower()))
        .put("upper", (long) Math.ceil(count.upper()));
  }

  private static ObjectNode balance(LoadReport report) {
    ObjectNode object =
        Json.object().put("maxOverFair", report.maxOverMean()).put("cv", report.cv());
    if (Double.isFinite(report.maxOverMin())) {
      object.put("maxOverMin", report.maxOverMin());
    }
    return object;
  }
}
