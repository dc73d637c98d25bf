package dev.beltway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.examples.jobs.TenantJobs;
import dev.beltway.examples.sessions.Directory;
import dev.beltway.examples.sessions.StickySessions;
import dev.beltway.topology.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples do what they are there to show. */
class ExamplesTest {

  @Test
  @Tag("long")
  @Timeout(120)
  void sessionsStayPutAndReconnectWhereTheyBelong() {
    StickySessions.Seen seen = StickySessions.run(200);
    assertThat(seen.lost()).isZero();
    // A fifth of 200 by 150 virtual nodes: 40, give or take.
    assertThat(seen.movedByJoin()).isBetween(20, 60);
    assertThat(seen.joined()).isBetween(20, 60);
    assertThat(seen.movedByLeave()).isEqualTo((int) seen.left());
    assertThat(seen.fullest()).isLessThanOrEqualTo(seen.cap());
  }

  @Test
  void everyJobRunsOnceAndFewTenantsMove() {
    TenantJobs.Seen seen = TenantJobs.run();
    assertThat(seen.missed()).isZero();
    assertThat(seen.twice()).isZero();
    assertThat(seen.runs()).isEqualTo(36_000);
    assertThat(seen.movedByJoin()).isBetween(0.12, 0.22);
    assertThat(seen.movedByLeave()).isBetween(0.12, 0.22);
  }

  @Test
  void aDirectoryMovesOnlyWhatItMust() {
    Directory directory = new Directory();
    for (String id : List.of("a", "b", "c", "d")) {
      assertThat(directory.join(Node.of(id))).isEmpty();
    }
    Map<String, String> before = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      before.put("s" + i, directory.place("s" + i).id());
    }
    assertThat(directory.loads().values()).allMatch(load -> load <= directory.cap());
    List<String> moved = directory.join(Node.of("e"));
    assertThat(moved).hasSizeBetween(250, 550);
    HashSet<String> displaced = new HashSet<>(moved);
    before.forEach(
        (session, at) -> {
          if (!displaced.contains(session)) {
            assertThat(directory.place(session).id()).isEqualTo(at);
          }
        });
    moved.forEach(session -> assertThat(directory.place(session).id()).isNotEmpty());
    List<String> left = directory.leave("b");
    assertThat(left).allMatch(session -> directory.find(session).isEmpty());
    before.keySet().forEach(session -> assertThat(directory.place(session).id()).isNotEqualTo("b"));
    before.keySet().forEach(directory::end);
    assertThat(directory.loads().values()).allMatch(load -> load == 0);
  }
}
