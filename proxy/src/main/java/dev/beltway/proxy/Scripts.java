package dev.beltway.proxy;

import dev.beltway.resp.codec.RequestScanner;
import dev.beltway.resp.codec.RespException;
import dev.beltway.resp.codec.RespLimits;
import dev.beltway.resp.codec.RespReader;
import dev.beltway.resp.command.FrameArguments;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scripts and functions that clients have loaded through this proxy: a node that restarts gets them
 * again before it is used. Of scripts the oldest are forgotten beyond 16 MB. Shared by all workers.
 */
final class Scripts {

  private static final int MOST_BYTES = 16 << 20;

  private final Map<String, byte[]> scripts = new LinkedHashMap<>();
  private final Map<String, byte[]> libraries = new LinkedHashMap<>();
  private final List<byte[]> restored = new ArrayList<>();
  private long scriptBytes;
  private long functionBytes;

  /** A request of these has been done by every node, with this reply. */
  synchronized void remember(String name, ByteBuf request, ByteBuf reply) {
    byte[] frame = new byte[request.readableBytes()];
    request.getBytes(request.readerIndex(), frame);
    switch (name) {
      case "script load" -> add(bulk(reply).toLowerCase(Locale.ROOT), frame);
      case "script flush" -> {
        scripts.clear();
        scriptBytes = 0;
      }
      case "function load" -> keep(bulk(reply), frame);
      case "function delete" -> forget(argument(request, 2));
      case "function flush" -> {
        libraries.clear();
        restored.clear();
        functionBytes = 0;
      }
      default -> {
        if (functionBytes + frame.length <= MOST_BYTES) {
          restored.add(frame);
          functionBytes += frame.length;
        }
      }
    }
  }

  private void keep(String library, byte[] frame) {
    forget(library);
    if (functionBytes + frame.length <= MOST_BYTES) {
      libraries.put(library, frame);
      functionBytes += frame.length;
    }
  }

  private void forget(String library) {
    byte[] old = libraries.remove(library);
    functionBytes -= old == null ? 0 : old.length;
  }

  private static String bulk(ByteBuf reply) {
    return RespReader.text(RespReader.read(reply, 0));
  }

  private void add(String sha, byte[] frame) {
    byte[] old = scripts.remove(sha);
    scriptBytes += frame.length - (old == null ? 0 : old.length);
    scripts.put(sha, frame);
    while (scriptBytes > MOST_BYTES && scripts.size() > 1) {
      String oldest = scripts.keySet().iterator().next();
      byte[] removed = scripts.remove(oldest);
      scriptBytes -= removed == null ? 0 : removed.length;
    }
  }

  /** All of them, as requests. */
  synchronized List<byte[]> requests() {
    List<byte[]> all = new ArrayList<>(scripts.values());
    all.addAll(restored);
    all.addAll(libraries.values());
    return all;
  }

  /** The request that loads the script which an EVALSHA names; null if it isn't known here. */
  synchronized byte @Nullable [] load(ByteBuf evalsha) {
    return scripts.get(argument(evalsha, 1).toLowerCase(Locale.ROOT));
  }

  private static String argument(ByteBuf frame, int argument) {
    RequestScanner scanner = new RequestScanner(RespLimits.OF_A_SERVER);
    try {
      int begin = frame.readerIndex();
      if (!scanner.scan(frame, begin, frame.writerIndex()) || scanner.count() <= argument) {
        return "";
      }
      FrameArguments request = new FrameArguments(scanner);
      request.at(frame, begin);
      return request.text(argument);
    } catch (RespException e) {
      return "";
    }
  }
}
