package dev.beltway.lab.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReferenceTablesTest {

  /** What isn't met, by name; everything else must be. */
  private static final Set<String> NOT_REPRODUCIBLE =
      Set.of(
          "weak hash, article key format",
          "migration 4->5 nodes",
          "load per node, 4 nodes",
          "modulo 4->5, 8->9, 8->10 on the same 1000 keys",
          "weighted virtual nodes");

  private static final Set<String> WRONG_CLAIMS =
      Set.of(
          "100-200 vnodes keep 100 nodes within 1.1 of the mean",
          "100-200 vnodes keep 10 nodes within 5 % of the mean",
          "nothing is gained from 5,000 to 10,000 vnodes");

  @Test
  void everyExactFigureIsMetAndTheRestIsExplained() {
    List<String> progress = new ArrayList<>();
    List<Figure> figures = ReferenceTables.judge(progress::add);
    assertThat(figures).hasSize(24 + 5);
    assertThat(progress).hasSize(ReferenceTables.count());
    assertThat(names(figures, Figure.Met.NOT_REPRODUCIBLE)).isEqualTo(NOT_REPRODUCIBLE);
    assertThat(names(figures, Figure.Met.NO)).isEqualTo(WRONG_CLAIMS);
    figures.stream()
        .filter(figure -> figure.met() != Figure.Met.YES)
        .forEach(figure -> assertThat(figure.note()).as(figure.name()).isNotBlank());
  }

  private static Set<String> names(List<Figure> figures, Figure.Met met) {
    return figures.stream()
        .filter(figure -> figure.met() == met)
        .map(Figure::name)
        .collect(Collectors.toSet());
  }
}
