package dev.beltway.resp.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * One turn of an event loop: what was ready is handled first, then each connection that has
 * something to say is written to once. So a hundred requests for one node that arrive together
 * leave in one system call, and nothing waits for a timer.
 *
 * <p>It also holds the buffer that all connections of the loop read into; a connection has one of
 * its own only while a frame is incomplete.
 */
public final class Tick {

  /**
   * Something to be done at the end of the turn. Whoever schedules it sees that it is there once.
   */
  public interface Task {
    /** Does it. */
    void atEndOfTick();
  }

  private static final int READ_BYTES = 64 << 10;

  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final Queue<Task> resumptions = new ArrayDeque<>();
  private final Queue<Task> flushes = new ArrayDeque<>();
  private final Runnable end = this::end;
  private boolean scheduled;
  private ByteBuf read;
  private long nanos = System.nanoTime();

  /** Of this loop, with buffers from there. */
  public Tick(EventLoop loop, ByteBufAllocator allocator) {
    this.loop = loop;
    this.allocator = allocator;
    this.read = allocator.directBuffer(READ_BYTES, READ_BYTES);
  }

  /** The loop. */
  public EventLoop loop() {
    return loop;
  }

  /** Where buffers come from. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** The time of the last read, in nanoseconds of {@link System#nanoTime()}. */
  public long nanos() {
    return nanos;
  }

  /** Takes the time; a reader does it once for all that it has read. */
  public void stamp() {
    nanos = System.nanoTime();
  }

  /** Before the flushes of this turn: a session goes on with what it had to leave. */
  public void resume(Task task) {
    resumptions.add(task);
    schedule();
  }

  /** At the end of this turn: a connection writes what it has. */
  public void flush(Task task) {
    flushes.add(task);
    schedule();
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      loop.execute(end);
    }
  }

  private void end() {
    scheduled = false;
    try {
      for (Task task = resumptions.poll(); task != null; task = resumptions.poll()) {
        task.atEndOfTick();
      }
      for (Task task = flushes.poll(); task != null; task = flushes.poll()) {
        task.atEndOfTick();
      }
    } finally {
      if (!resumptions.isEmpty() || !flushes.isEmpty()) {
        schedule(); // One has failed; the others are not to wait for it.
      }
    }
  }

  /** The loop's read buffer, empty; another one if somebody still holds a part of the last. */
  ByteBuf readBuffer() {
    if (read.refCnt() == 1) {
      return read.clear();
    }
    read.release();
    read = allocator.directBuffer(READ_BYTES, READ_BYTES);
    return read;
  }

  /** Gives the read buffer back, when the loop ends. */
  public void close() {
    read.release();
  }
}
