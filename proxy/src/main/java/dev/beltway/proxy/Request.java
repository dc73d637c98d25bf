package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A client's request between its arrival and its reply, in its place in the session's order. Reused
 * by its worker.
 */
final class Request extends Call {

  final Worker worker;

  @Nullable Session session;
  @Nullable Request nextInSession;

  /** The node that it went to, for figures; null if it went to none or to several. */
  @Nullable NodeLink node;

  /** For figures and the slow log; an index of {@link Traffic}. */
  int command;

  long arrived;

  /** Whether its reply is there, in the session's parking lot or in {@link #held}. */
  boolean done;

  /** Whether the client wants no reply to it. */
  boolean mute;

  int parkedAt;
  int parkedLength;
  @Nullable ByteBuf held;

  /** What is kept for it beside its reply, in bytes. */
  int weight;

  /** A request whose script the node may have lost: a copy, and by what it was sent. */
  @Nullable ByteBuf again;

  @Nullable View sentBy;
  int protocol;
  int database;

  Request(Worker worker) {
    this.worker = worker;
  }

  @Override
  public void replied(ByteBuf buf, int offset, int length) {
    Session asked = session;
    if (asked != null) {
      asked.replied(this, buf, offset, length);
    }
  }

  @Override
  public void failed(CallFailure failure) {
    Session asked = session;
    if (asked != null) {
      asked.failed(this, failure);
    }
  }
}
