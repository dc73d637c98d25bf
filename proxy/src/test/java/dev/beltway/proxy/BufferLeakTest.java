package dev.beltway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.beltway.proxy.testing.Leaks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** No buffer was lost by any of the tests before this one. */
@Order(Integer.MAX_VALUE)
class BufferLeakTest {

  @Test
  void everyBufferWasReleased() {
    collect();
    assertThat(Leaks.found()).isEmpty();
  }

  /** The detector works: a buffer that is lost on purpose is found. */
  @Test
  void aBufferThatIsLostIsFound() {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    collect();
    int before = Leaks.found().size();
    lose();
    // What is gone is put into the detector's queue by a thread of the JVM, in its own time.
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (Leaks.found().size() == before && System.nanoTime() < deadline) {
      collect();
    }
    assertThat(Leaks.found()).hasSize(before + 1);
    Leaks.found().remove(before);
  }

  private static void lose() {
    ByteBuf lost = PooledByteBufAllocator.DEFAULT.directBuffer(1_234);
    lost.writeByte(1);
  }

  /** Lets go of what nobody holds, and makes the detector look. */
  private static void collect() {
    for (int round = 0; round < 3; round++) {
      WeakReference<Object> gone = new WeakReference<>(new Object());
      while (gone.get() != null) {
        System.gc();
      }
      PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
    }
  }
}
