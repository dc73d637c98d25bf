package dev.beltway.proxy;

import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.Effect;
import dev.beltway.resp.command.FrameArguments;
import dev.beltway.resp.command.KeyGroup;
import org.jspecify.annotations.Nullable;

/** Finds the owner of all keys of a request. Reused by its worker. */
final class KeyOwner implements KeyGroup.Visitor {

  private final @Nullable HotKeys hotKeys;
  private @Nullable View view;
  private @Nullable FrameArguments request;
  private @Nullable NodeLink link;
  private boolean several;
  private int count;

  /** One that counts what it finds. */
  KeyOwner(HotKeys hotKeys) {
    this.hotKeys = hotKeys;
  }

  /** One that looks at what was counted before. */
  KeyOwner() {
    this.hotKeys = null;
  }

  void find(View current, Command command, FrameArguments asked) {
    view = current;
    request = asked;
    link = null;
    several = false;
    count = 0;
    command.visitKeys(asked, this);
    request = null;
  }

  @Override
  public void key(int argument, Effect effect) {
    if (view == null || request == null) {
      return;
    }
    if (hotKeys != null) {
      hotKeys.seen(request, argument);
    }
    NodeLink owner = view.owner(request, argument);
    several |= link != null && link != owner;
    link = owner;
    count++;
  }

  /** Whether all keys have one owner, or there is no key. */
  boolean isOne() {
    return !several;
  }

  int count() {
    return count;
  }

  /** The owner; any node if there is no key. */
  NodeLink link() {
    if (link != null) {
      return link;
    }
    if (view == null) {
      throw new IllegalStateException("nothing was looked for");
    }
    return view.any();
  }
}
