package dev.beltway.proxy;

import dev.beltway.resp.client.Call;
import dev.beltway.resp.client.CallFailure;
import io.netty.buffer.ByteBuf;

/** A call whose reply nobody waits for. */
final class Unheard extends Call {
  @Override
  public void replied(ByteBuf buf, int offset, int length) {}

  @Override
  public void failed(CallFailure failure) {}
}
