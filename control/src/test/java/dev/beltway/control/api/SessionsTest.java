package dev.beltway.control.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SessionsTest {

  private static final ApiKeys.Caller ADA = new ApiKeys.Caller("ada", ApiKeys.Role.ADMIN);

  private long now;
  private final Sessions sessions = new Sessions(() -> now);

  @Test
  void aSessionEndsWhenItIsLeftOrForgotten() {
    String name = sessions.begin(ADA);
    now += TimeUnit.HOURS.toNanos(11);
    assertThat(sessions.caller(name)).contains(ADA); // Which counts as a request.
    now += TimeUnit.HOURS.toNanos(11);
    assertThat(sessions.caller(name)).contains(ADA);
    now += TimeUnit.HOURS.toNanos(13);
    assertThat(sessions.caller(name)).isEmpty();
    assertThat(sessions.caller(name)).isEmpty();
    String other = sessions.begin(ADA);
    sessions.end(other);
    assertThat(sessions.caller(other)).isEmpty();
    assertThat(sessions.caller(null)).isEmpty();
    assertThat(sessions.caller("")).isEmpty();
  }

  private static ApiKeys.Caller caller(int number) {
    return new ApiKeys.Caller("caller-" + number, ApiKeys.Role.VIEW);
  }

  @Test
  void thereAreSoManyAtMostAndTheOneUnusedLongestGoesFirst() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < Sessions.MOST; i++) {
      names.add(sessions.begin(caller(i)));
    }
    assertThat(new HashSet<>(names)).hasSize(Sessions.MOST);
    assertThat(sessions.caller(names.get(0))).contains(caller(0));
    sessions.begin(ADA);
    assertThat(sessions.caller(names.get(0))).contains(caller(0));
    assertThat(sessions.caller(names.get(1))).isEmpty();
    assertThat(sessions.caller(names.get(2))).contains(caller(2));
  }

  @Test
  void nobodyPushesOthersOut() {
    String ada = sessions.begin(ADA);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      names.add(sessions.begin(caller(1)));
    }
    assertThat(sessions.caller(ada)).contains(ADA);
    assertThat(names.stream().filter(name -> sessions.caller(name).isPresent()))
        .hasSize(Sessions.MOST_OF_ONE);
  }
}
