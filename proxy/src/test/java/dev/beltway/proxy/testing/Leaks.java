package dev.beltway.proxy.testing;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What Netty's leak detector has said. */
public final class Leaks extends AppenderBase<ILoggingEvent> {

  private static final List<String> FOUND = new CopyOnWriteArrayList<>();

  @Override
  protected void append(ILoggingEvent event) {
    FOUND.add(event.getFormattedMessage());
  }

  /** What was found so far. */
  public static List<String> found() {
    return FOUND;
  }
}
