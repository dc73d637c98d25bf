package dev.beltway.bench;

import dev.beltway.hash.HashFunctions;
import dev.beltway.placement.Placement;
import dev.beltway.placement.Placements;
import dev.beltway.topology.KetamaRule;
import dev.beltway.topology.KetamaVariant;
import dev.beltway.topology.Node;
import dev.beltway.topology.Topology;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.KetamaNodeKeyFormatter.Format;
import net.spy.memcached.KetamaNodeLocator;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A String key to its memcached server, beside the Java client spymemcached 2.12.3. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class KetamaBenchmark {

  /** Servers. */
  @Param({"10", "100"})
  public int servers;

  private Keys keys = new Keys();
  private Placement weighted = Placements.of(Topology.ring());
  private Placement plain = Placements.of(Topology.ring());
  private NodeLocator locator = new KetamaNodeLocator(List.of(), DefaultHashAlgorithm.KETAMA_HASH);

  /** Builds the rings. */
  @Setup
  public void build() {
    keys = new Keys();
    List<Node> nodes = new ArrayList<>();
    List<MemcachedNode> members = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      String host = "10.0." + i + ".1";
      nodes.add(Node.of("cache-" + i).withAddress(host + ":11211"));
      InetSocketAddress address = new InetSocketAddress(host, 11211);
      members.add(
          (MemcachedNode)
              Proxy.newProxyInstance(
                  MemcachedNode.class.getClassLoader(),
                  new Class<?>[] {MemcachedNode.class},
                  (proxy, method, arguments) ->
                      switch (method.getName()) {
                        case "getSocketAddress" -> address;
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> arguments != null && proxy == arguments[0];
                        default -> address.toString();
                      }));
    }
    weighted =
        Placements.of(new Topology(0, KetamaRule.of(KetamaVariant.LIBMEMCACHED_WEIGHTED), nodes));
    plain = Placements.of(new Topology(0, KetamaRule.of(KetamaVariant.LIBMEMCACHED), nodes));
    locator =
        new KetamaNodeLocator(
            members, DefaultHashAlgorithm.KETAMA_HASH, Format.LIBMEMCACHED, Map.of());
  }

  /** libmemcached's weighted ketama: keys by MD5, as the client beside it. */
  @Benchmark
  public Node ketamaMd5() {
    return weighted.owner(keys.next());
  }

  /** What no ketama with MD5 keys can undercut: the hash of the key alone. */
  @Benchmark
  public long md5Alone() {
    return HashFunctions.MD5_32_LE.hash(keys.next());
  }

  /** libmemcached's default: keys by one-at-a-time. */
  @Benchmark
  public Node ketamaOneAtATime() {
    return plain.owner(keys.next());
  }

  /** The client. */
  @Benchmark
  public MemcachedNode spymemcached() {
    return locator.getPrimary(keys.next());
  }
}
