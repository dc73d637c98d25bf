package dev.beltway.resp.client;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A request on its way to a node: it gets its reply, or is told that there will be none. */
public abstract class Call {

  @Nullable Call next;
  private int replies = 1;
  int repliesLeft;
  int bytes;
  long since;

  /** Sets how many replies it waits for; one unless said otherwise. */
  protected final void expects(int replies) {
    this.replies = replies;
  }

  /** It is on its way, perhaps for the second time. */
  void begin(long now, int length) {
    repliesLeft = replies;
    since = now;
    bytes = length;
    next = null;
  }

  /** When it was handed over, in nanoseconds of the loop's clock. */
  protected final long since() {
    return since;
  }

  /**
   * One of its replies. The range is the call's only until this returns: it copies the bytes, or
   * retains the buffer.
   */
  public abstract void replied(ByteBuf buf, int offset, int length);

  /** Whether the reply may take as long as it likes. */
  public boolean mayWait() {
    return false;
  }

  /** There will be no reply. */
  public abstract void failed(CallFailure failure);
}
