package dev.beltway.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What nodes say of themselves, and what a change makes of it. */
@NullUnmarked
class PreflightTest {

  private static final String GOOD =
      "redis_version:7.0.15|role:master|loading:0|cluster_enabled:0|db0:keys=3,expires=0";
  private static final List<Object> CLOSED = List.of("flags", List.of("on"));
  private static final String OURS =
      "id=1 addr=127.0.0.1:1 name=beltway-control flags=N user=default cmd=exec\n"
          + "id=2 addr=127.0.0.1:2 name= flags=N user=beltway-proxy-r-1 cmd=set\n"
          + "id=3 addr=127.0.0.1:3 name=exporter flags=N user=default cmd=info\n"
          + "id=4 addr=127.0.0.1:4 name= flags=S user=default cmd=replconf\n";

  /** The refusal, where the node gives these answers; empty for none. */
  private static String refusal(String info, Object user, Object clients, boolean forced) {
    Step step = new Preflight(15, "n", forced).begin();
    while (step instanceof Step.Ask ask) {
      Object answer =
          switch (ask.command().get(0)) {
            case "INFO" -> "\r\n" + info.replace("|", "\r\n") + "\r\n";
            case "ACL" -> user;
            default -> clients;
          };
      step = ask.then().apply(answer);
    }
    return step instanceof Step.Done done ? String.valueOf(done.result()) : step.toString();
  }

  @Test
  void nodeWithAPasswordThatOnlyProxiesUseTakesPart() {
    assertThat(refusal(GOOD, CLOSED, OURS, false)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "role:master,role:slave,replica",
    "loading:0,loading:1,loading its data",
    "redis_version:7.0.15,redis_version:5.0.7,6.0 or later",
    "cluster_enabled:0,cluster_enabled:1,Redis Cluster",
    "db0:,db16:,behind the control database",
  })
  void whatItSaysOfItselfIsAReason(String good, String bad, String reason) {
    assertThat(refusal(GOOD.replace(good, bad), CLOSED, OURS, true)).contains(reason);
  }

  @Test
  void openDoorIsAReasonAndForceDoesNotHelp() {
    Object open = List.of("flags", List.of("on", "nopass"));
    assertThat(refusal(GOOD, open, OURS, true)).contains("without a password");
  }

  @Test
  void whoeverWritesWithoutAProxyIsNamedUnlessForced() {
    String clients =
        OURS + "id=9 addr=10.1.2.3:555 name=cron flags=N user=default cmd=hset argv-mem=1\n";
    assertThat(refusal(GOOD, CLOSED, clients, false))
        .contains("10.1.2.3:555")
        .contains("cron")
        .contains("hset")
        .contains("--force");
    assertThat(refusal(GOOD, CLOSED, clients, true)).isEmpty();
  }

  @Test
  void anErrorOfTheNodeIsNoRefusalButAFailure() {
    Step step = new Preflight(15, "n", false).begin();
    step = ((Step.Ask) step).then().apply(new ErrorReply("LOADING Redis is loading"));
    assertThat(step).isInstanceOf(Step.Failed.class);
    assertThat(((Step.Failed) step).reason()).contains("LOADING");
  }
}
