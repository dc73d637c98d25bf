package dev.beltway.proxy;

import dev.beltway.proxy.access.User;
import dev.beltway.resp.client.CallFailure;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What a client has said of itself and is in the midst of. */
final class ClientState {

  /** How replies are wanted, as CLIENT REPLY says it. */
  enum Replies {
    ON,
    OFF,
    SKIP_NEXT,
    SKIP
  }

  @Nullable User user;

  /** Whether the user may do anything; worked out once. */
  boolean unlimited;

  int protocol = 2;
  int database;
  String name = "";
  String library = "";
  String libraryVersion = "";
  @Nullable Handling last;
  final long since = System.currentTimeMillis();
  Replies replies = Replies.ON;

  @Nullable Transaction transaction;
  @Nullable Subscriptions subscriptions;
  @Nullable Waiting waiting;

  /** A transaction with a watch whose EXEC is not answered yet. */
  @Nullable Transaction executing;

  /** Why the node that was asked about the client's next command did not answer. */
  @Nullable CallFailure unanswered;

  /** An inline request that is to be handled later. */
  @Nullable ByteBuf postponed;

  /** Where a reply goes that nobody wants. */
  @Nullable ByteBuf discarded;

  ClientState(@Nullable User user) {
    login(user);
  }

  /** Who the client is from now on; null for nobody. */
  void login(@Nullable User now) {
    user = now;
    unlimited = now != null && now.isUnlimited();
  }

  boolean muted() {
    return replies == Replies.OFF || replies == Replies.SKIP;
  }

  /** A request was taken: CLIENT REPLY SKIP is about the one after it alone. */
  void taken() {
    if (replies == Replies.SKIP) {
      replies = Replies.ON;
    } else if (replies == Replies.SKIP_NEXT) {
      replies = Replies.SKIP;
    }
  }

  boolean isWaiting() {
    return waiting != null;
  }

  boolean isSubscribed() {
    return subscriptions != null && subscriptions.count() > 0;
  }

  long bytes() {
    return transaction == null ? 0 : transaction.bytes();
  }

  void writable() {
    if (subscriptions != null) {
      subscriptions.resume();
    }
  }

  /** Lets go of everything. */
  void end() {
    if (transaction != null) {
      transaction.end();
      transaction = null;
    }
    executing = null;
    if (subscriptions != null) {
      subscriptions.end();
      subscriptions = null;
    }
    if (waiting != null) {
      waiting.end();
      waiting = null;
    }
    if (postponed != null) {
      postponed.release();
      postponed = null;
    }
  }
}
