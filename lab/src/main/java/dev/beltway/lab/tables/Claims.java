package dev.beltway.lab.tables;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.beltway.balance.LoadReport;
import dev.beltway.balance.Theory;
import dev.beltway.placement.Placements;
import dev.beltway.plan.Difference;
import dev.beltway.plan.ModuloMovement;
import dev.beltway.topology.RingRule;
import dev.beltway.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Sentences about consistent hashing that are often read, held against rings of this library with
 * exact shares: many groups of node names, their median, never a single draw.
 */
final class Claims {

  private static final int GROUPS = 200;

  private static final List<Claim> ALL =
      List.of(
          new Claim("100-200 vnodes keep 100 nodes within 1.1 of the mean", Claims::within),
          new Claim("100-200 vnodes keep 10 nodes within 5 % of the mean", Claims::deviation),
          new Claim("nothing is gained from 5,000 to 10,000 vnodes", Claims::gain),
          new Claim("growing 8 nodes to 10 moves 20 % of the keys, ± 0.5", Claims::eightToTen),
          new Claim("growing 8 nodes to 10 moves 80 % under hash % N", Claims::moduloEightToTen));

  private Claims() {}

  private interface Judge {
    Judgement judge();
  }

  private record Claim(String text, Judge judge) {}

  private record Judgement(boolean met, Map<String, Object> computed, String note) {}

  static int count() {
    return ALL.size();
  }

  static List<Figure> judge(Consumer<String> progress) {
    List<Figure> figures = new ArrayList<>();
    for (Claim claim : ALL) {
      progress.accept("claim: " + claim.text);
      Judgement judgement = claim.judge.judge();
      figures.add(
          new Figure(
              "claim",
              claim.text,
              TextNode.valueOf(claim.text),
              new ObjectMapper().valueToTree(judgement.computed),
              judgement.met ? Figure.Met.YES : Figure.Met.NO,
              judgement.note));
    }
    return figures;
  }

  private static Topology ring(int group, int nodes, int vnodes) {
    RingRule rule = RingRule.DEFAULT.withVnodes(vnodes);
    return Topology.of(
        rule, IntStream.range(0, nodes).mapToObj(i -> "g" + group + "-node-" + i).toList());
  }

  private static LoadReport load(int group, int nodes, int vnodes) {
    return LoadReport.of(Placements.of(ring(group, nodes, vnodes)));
  }

  private static double median(int groups, IntToDoubleFunction figure) {
    double[] values = IntStream.range(0, groups).mapToDouble(figure).sorted().toArray();
    return values[(values.length - 1) / 2];
  }

  private static String text(String pattern, double value) {
    return String.format(ROOT, pattern, value);
  }

  private static Judgement within() {
    Map<String, Object> computed = new LinkedHashMap<>();
    boolean met = true;
    for (int vnodes : new int[] {100, 200}) {
      double median = median(GROUPS, group -> load(group, 100, vnodes).maxOverMean());
      met &= median <= 1.1;
      computed.put("max/mean at " + vnodes, text("%.2f", median));
    }
    return new Judgement(met, computed, "Median of " + GROUPS + " groups of names, exact shares.");
  }

  private static Judgement deviation() {
    Map<String, Object> computed = new LinkedHashMap<>();
    boolean met = true;
    for (int vnodes : new int[] {100, 200}) {
      double median = median(GROUPS, group -> load(group, 10, vnodes).cv());
      met &= median < 0.05;
      computed.put("deviation at " + vnodes, text("%.1f %%", 100 * median));
      computed.put("theory at " + vnodes, text("%.1f %%", 100 * Theory.cv(10, vnodes)));
    }
    return new Judgement(
        met, computed, "Deviation is the coefficient of variation: √((n−1)/(nv+1)).");
  }

  private static Judgement gain() {
    int groups = 20;
    double few = median(groups, group -> load(group, 10, 5_000).cv());
    double many = median(groups, group -> load(group, 10, 10_000).cv());
    Map<String, Object> computed = new LinkedHashMap<>();
    computed.put("deviation at 5,000", text("%.2f %%", 100 * few));
    computed.put("deviation at 10,000", text("%.2f %%", 100 * many));
    computed.put("theory at 5,000", text("%.2f %%", 100 * Theory.cv(10, 5_000)));
    computed.put("theory at 10,000", text("%.2f %%", 100 * Theory.cv(10, 10_000)));
    boolean nothingGained = many >= 0.95 * few;
    return new Judgement(
        nothingGained,
        computed,
        "Twice the vnodes divide the deviation by √2 here as everywhere; whether that is worth the"
            + " tokens is another question. Median of "
            + groups
            + " groups.");
  }

  private static Judgement eightToTen() {
    double[] moved = new double[GROUPS];
    Arrays.setAll(
        moved,
        group ->
            100
                * Difference.between(
                        Placements.of(ring(group, 8, 150)), Placements.of(ring(group, 10, 150)))
                    .moved());
    Arrays.sort(moved);
    double median = moved[(GROUPS - 1) / 2];
    Map<String, Object> computed = new LinkedHashMap<>();
    computed.put("median", text("%.2f %%", median));
    computed.put("p10", text("%.2f %%", moved[(GROUPS - 1) / 10]));
    computed.put("p90", text("%.2f %%", moved[(GROUPS - 1) * 9 / 10]));
    return new Judgement(
        Math.abs(median - 20) <= 0.5,
        computed,
        "150 vnodes, " + GROUPS + " groups of names, exact shares.");
  }

  private static Judgement moduloEightToTen() {
    List<String> ten = IntStream.range(0, 10).mapToObj(i -> "node-" + i).toList();
    double moved = ModuloMovement.moved(ten.subList(0, 8), ten);
    return new Judgement(
        Math.abs(moved - 0.8) < 1e-12,
        Map.of("moved", text("%.1f %%", 100 * moved)),
        "Exact, by counting residues.");
  }
}
