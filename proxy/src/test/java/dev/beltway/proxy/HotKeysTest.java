package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.beltway.handover.Heat;
import dev.beltway.resp.codec.RequestScanner;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespWriter;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The sample against an exact count. */
class HotKeysTest {

  private static void ask(HotKeys hot, String key) throws Exception {
    ByteBuf frame = Unpooled.buffer();
    RespWriter.request(frame, "GET", key);
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    FrameArguments request = new FrameArguments(scanner);
    scanner.scan(frame, 0, frame.readableBytes());
    request.at(frame, 0);
    hot.seen(request, 1);
    frame.release();
  }

  /** Half of all requests are for one key of ten thousand, a tenth for a second one. */
  private static String next(SplittableRandom random) {
    double chance = random.nextDouble();
    return chance < 0.5 ? "hottest" : chance < 0.6 ? "second" : "cold-" + random.nextInt(10_000);
  }

  @Test
  void sharesAreNearTheExactOnesInEveryWindow() throws Exception {
    HotKeys hot = new HotKeys(new SplittableRandom(8));
    SplittableRandom random = new SplittableRandom(7);
    for (int requests : new int[] {200_000, 200_000, 3_000, 3_000}) {
      Map<String, Integer> exact = new HashMap<>();
      for (int i = 0; i < requests; i++) {
        String key = next(random);
        exact.merge(key, 1, Integer::sum);
        ask(hot, key);
      }
      Heat heat = hot.take(10);
      assertThat(heat.requests()).isEqualTo(requests);
      assertThat(heat.keys()).hasSizeBetween(1, 10);
      assertThat(heat.keys().get(0).name()).isEqualTo("hottest");
      // Within four standard deviations of a sample of that size.
      double bound = 4 * Math.sqrt(0.25 / Math.max(1, heat.sampled()));
      assertThat(
              Math.abs(
                  heat.share(heat.keys().get(0))
                      - exact.getOrDefault("hottest", 0) / (double) requests))
          .isLessThan(bound);
    }
    // The last window was counted with a gap that fits it: all of them.
    for (int i = 0; i < 1_000; i++) {
      ask(hot, "k" + i % 10);
    }
    Heat all = hot.take(10);
    assertThat(all.sampled()).isEqualTo(1_000);
    assertThat(all.keys()).hasSize(10).allMatch(key -> key.least() == 100);
  }

  @Test
  void ofKeysThatAreAllAlikeNoneIsHot() throws Exception {
    HotKeys hot = new HotKeys(new SplittableRandom(9));
    SplittableRandom random = new SplittableRandom(10);
    for (int i = 0; i < 300_000; i++) {
      ask(hot, "key-" + random.nextInt(1_000_000));
    }
    Heat heat = hot.take(25);
    assertThat(heat.sampled()).isGreaterThan(500);
    assertThat(heat.keys()).isEmpty();
  }

  @Test
  void aLongKeyIsToldByItsBeginning() throws Exception {
    HotKeys hot = new HotKeys(new SplittableRandom(11));
    String prefix = "x".repeat(256);
    for (int i = 0; i < 20_000; i++) {
      ask(hot, i % 2 == 0 ? prefix + "tail" : prefix);
    }
    Heat heat = hot.take(5);
    assertThat(heat.keys())
        .extracting(Heat.Key::name, Heat.Key::isCut)
        .containsExactlyInAnyOrder(tuple(prefix + Heat.CUT, true), tuple(prefix, false));
  }

  @Test
  void samplesOfDifferentDensityAreWeighedByWhatTheyStandFor() {
    // A busy proxy counted one of a hundred, a quiet one all.
    Heat busy = new Heat(100_000, 1_000, List.of(new Heat.Key("a", 500, 520)));
    Heat quiet = new Heat(1_000, 1_000, List.of(new Heat.Key("b", 1_000, 1_000)));
    Heat both = Heat.of(List.of(busy, quiet, Heat.NONE), 5);
    assertThat(both.requests()).isEqualTo(101_000);
    assertThat(both.share(both.keys().get(0))).isBetween(0.49, 0.50);
    assertThat(both.keys().get(0).name()).isEqualTo("a");
    assertThat(both.share(both.keys().get(1))).isBetween(0.009, 0.011);
    assertThat(Heat.of(List.of(), 5)).isEqualTo(Heat.NONE);
  }
}
