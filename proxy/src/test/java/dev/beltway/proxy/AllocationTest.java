package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.beltway.resp.client.PlainClient;
import dev.beltway.resp.codec.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Forwarding a request and its reply makes no objects: buffers and requests are used again. */
@Tag("needs-redis")
@NullUnmarked // A null where none should be fails the test.
class AllocationTest {

  private static final int CLIENTS = 8;
  private static final int PIPELINE = 16;

  @Test
  void forwardingAllocatesNothingPerRequest() throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // It makes objects itself.
    try (Pool pool = Pool.of(3)) {
      List<PlainClient> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(pool.client());
      }
      ByteBuf batch = Unpooled.buffer();
      for (int i = 0; i < PIPELINE / 2; i++) {
        RespWriter.request(batch, "SET", "key" + i, "value");
        RespWriter.request(batch, "GET", "key" + i);
      }
      rounds(clients, batch, 3_000);
      long before = allocated(pool);
      int rounds = 5_000;
      rounds(clients, batch, rounds);
      double perRequest =
          (double) (allocated(pool) - before) / ((double) rounds * CLIENTS * PIPELINE);
      clients.forEach(PlainClient::close);
      System.out.printf("allocated by the event loop: %.2f bytes a request%n", perRequest);
      assertThat(perRequest).isLessThan(8);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static void rounds(List<PlainClient> clients, ByteBuf batch, int rounds)
      throws Exception {
    for (int round = 0; round < rounds; round++) {
      for (PlainClient client : clients) {
        client.write(batch.duplicate());
      }
      for (PlainClient client : clients) {
        for (int i = 0; i < PIPELINE; i++) {
          client.nextFrame();
        }
      }
    }
  }

  private static long allocated(Pool pool) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return pool.proxy
        .eachWorker(worker -> threads.getThreadAllocatedBytes(Thread.currentThread().getId()))
        .get()
        .get(0);
  }
}
