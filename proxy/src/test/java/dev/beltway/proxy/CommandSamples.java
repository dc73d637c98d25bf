package dev.beltway.proxy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Requests of every command that the proxy supports, drawn by seed. {@code K} is a key, {@code T}
 * one of the same hash tag as the request's other keys, {@code A} any key, {@code V} a value,
 * {@code N} a number, {@code F} a field; {@code s:}, {@code l:} and the like choose the type that
 * the key usually has.
 */
final class CommandSamples {

  private static final String[] TEMPLATES = {
    "SET s:T V",
    "SET s:T V EX 1000",
    "SET s:T V NX",
    "SET s:T V XX GET",
    "SET s:T V KEEPTTL",
    "GET s:T",
    "GET l:T",
    "GETSET s:T V",
    "GETDEL s:T",
    "GETEX s:T PERSIST",
    "GETEX s:T EX 500",
    "SETNX s:T V",
    "SETEX s:T 100 V",
    "PSETEX s:T 100000 V",
    "APPEND s:T V",
    "STRLEN s:T",
    "SETRANGE s:T N V",
    "GETRANGE s:T 0 -1",
    "SUBSTR s:T 0 3",
    "INCR n:T",
    "DECR n:T",
    "INCRBY n:T N",
    "DECRBY n:T N",
    "INCRBYFLOAT f:T 1.5",
    "INCR s:T",
    "LCS s:T s:T",
    "MGET s:A s:A s:A s:A",
    "MGET s:A s:T l:A",
    "MSET s:A V s:A V s:A V",
    "MSETNX s:T V s:T V",
    "DEL s:A s:A l:A",
    "UNLINK h:A z:A",
    "EXISTS s:A s:A s:A h:A",
    "TOUCH s:A l:A s:A",
    "DEL s:T",
    "EXISTS s:T",
    "MGET s:T",
    "MSET s:T V",
    "SETBIT b:T N 1",
    "GETBIT b:T N",
    "BITCOUNT b:T",
    "BITPOS b:T 1",
    "BITOP OR b:T b:T b:T",
    "BITFIELD b:T SET u8 0 N",
    "BITFIELD_RO b:T GET u8 0",
    "LPUSH l:T V V",
    "RPUSH l:T V",
    "LPUSHX l:T V",
    "RPUSHX l:T V",
    "LLEN l:T",
    "LPOP l:T",
    "RPOP l:T",
    "LRANGE l:T 0 -1",
    "LINDEX l:T N",
    "LSET l:T 0 V",
    "LTRIM l:T 0 20",
    "LREM l:T 1 V",
    "LINSERT l:T BEFORE V V",
    "LPOS l:T V",
    "RPOPLPUSH l:T l:T",
    "LMOVE l:T l:T LEFT RIGHT",
    "LMPOP 2 l:T l:T LEFT",
    "LPOP l:T 2",
    "BLPOP l:T l:T 0.01",
    "BRPOP l:T 0.01",
    "BLMOVE l:T l:T RIGHT LEFT 0.01",
    "BRPOPLPUSH l:T l:T 0.01",
    "BLMPOP 0.01 1 l:T RIGHT",
    "BZPOPMIN z:T 0.01",
    "BZPOPMAX z:T z:T 0.01",
    "BZMPOP 0.01 1 z:T MIN",
    "SADD i:T N N",
    "SREM i:T N",
    "SCARD i:T",
    "SISMEMBER i:T N",
    "SMISMEMBER i:T N N",
    "SMEMBERS i:T",
    "SINTER i:T i:T",
    "SUNION i:T i:T",
    "SDIFF i:T i:T",
    "SINTERCARD 2 i:T i:T",
    "SINTERSTORE i:T i:T i:T",
    "SUNIONSTORE i:T i:T i:T",
    "SDIFFSTORE i:T i:T i:T",
    "SMOVE i:T i:T N",
    "SSCAN i:T 0",
    "HSET h:T F V F V",
    "HGET h:T F",
    "HMSET h:T F V",
    "HMGET h:T F F",
    "HDEL h:T F",
    "HLEN h:T",
    "HEXISTS h:T F",
    "HGETALL h:T",
    "HKEYS h:T",
    "HVALS h:T",
    "HINCRBY h:T cnt N",
    "HINCRBYFLOAT h:T fl 1.5",
    "HSETNX h:T F V",
    "HSTRLEN h:T F",
    "HSCAN h:T 0",
    "ZADD z:T N V N V",
    "ZADD z:T XX CH N V",
    "ZINCRBY z:T 1.5 V",
    "ZREM z:T V",
    "ZCARD z:T",
    "ZSCORE z:T V",
    "ZMSCORE z:T V V",
    "ZRANK z:T V",
    "ZREVRANK z:T V",
    "ZCOUNT z:T -inf +inf",
    "ZRANGE z:T 0 -1 WITHSCORES",
    "ZRANGE z:T 0 -1",
    "ZREVRANGE z:T 0 3",
    "ZRANGEBYSCORE z:T -inf +inf",
    "ZREVRANGEBYSCORE z:T +inf -inf",
    "ZRANGEBYLEX z:T - +",
    "ZREVRANGEBYLEX z:T + -",
    "ZLEXCOUNT z:T - +",
    "ZPOPMIN z:T",
    "ZPOPMAX z:T",
    "ZMPOP 1 z:T MIN",
    "ZREMRANGEBYRANK z:T 20 -1",
    "ZREMRANGEBYSCORE z:T 1000 2000",
    "ZREMRANGEBYLEX z:T [x [y",
    "ZUNION 2 z:T z:T WITHSCORES",
    "ZINTER 2 z:T z:T",
    "ZDIFF 2 z:T z:T",
    "ZINTERCARD 2 z:T z:T",
    "ZUNIONSTORE z:T 2 z:T z:T",
    "ZINTERSTORE z:T 2 z:T z:T WEIGHTS 2 3",
    "ZDIFFSTORE z:T 2 z:T z:T",
    "ZRANGESTORE z:T z:T 0 5",
    "ZSCAN z:T 0",
    "PFADD p:T V V",
    "PFCOUNT p:T p:T",
    "PFMERGE p:T p:T",
    "GEOADD g:T 13.36 38.11 V",
    "GEODIST g:T V V",
    "GEOHASH g:T V",
    "GEOPOS g:T V",
    "GEOSEARCH g:T FROMLONLAT 15 37 BYRADIUS 400 km ASC",
    "GEOSEARCHSTORE g:T g:T FROMLONLAT 15 37 BYRADIUS 400 km",
    "GEORADIUS g:T 15 37 400 km ASC",
    "GEORADIUS g:T 15 37 400 km STORE g:T",
    "GEORADIUS_RO g:T 15 37 400 km ASC",
    "GEORADIUSBYMEMBER g:T V 400 km ASC",
    "GEORADIUSBYMEMBER_RO g:T V 400 km ASC",
    "XADD x:T NX-NO * f v",
    "XLEN x:T",
    "XADD x:T MAXLEN 10 N-1 F V",
    "XRANGE x:T - +",
    "XREVRANGE x:T + - COUNT 2",
    "XDEL x:T N-1",
    "XTRIM x:T MAXLEN 5",
    "XREAD COUNT 2 STREAMS x:T 0",
    "XREAD COUNT 2 BLOCK 10 STREAMS x:T $",
    "XGROUP CREATE x:T grp 0 MKSTREAM",
    "XGROUP CREATECONSUMER x:T grp c1",
    "XGROUP DELCONSUMER x:T grp c2",
    "XGROUP SETID x:T grp 0",
    "XGROUP DESTROY x:T grp2",
    "XREADGROUP GROUP grp c1 COUNT 1 STREAMS x:T >",
    "XREADGROUP GROUP grp c1 COUNT 1 BLOCK 10 STREAMS x:T >",
    "XACK x:T grp N-1",
    "XPENDING x:T grp",
    "XCLAIM x:T grp c1 0 N-1 JUSTID",
    "XAUTOCLAIM x:T grp c1 0 0 JUSTID",
    "XINFO STREAM s:T",
    "XINFO GROUPS s:T",
    "XINFO CONSUMERS s:T grp",
    "XSETID x:T 999999999-1",
    "EXPIRE s:T 1000",
    "PEXPIRE s:T 1000000",
    "EXPIREAT s:T 4000000000",
    "PEXPIREAT s:T 4000000000000",
    "PERSIST s:T",
    "EXPIRETIME b:T",
    "PEXPIRETIME b:T",
    "TTL b:T",
    "PTTL b:T",
    "TYPE s:T",
    "RENAME s:T s:T",
    "RENAMENX s:T s:T",
    "COPY s:T s:T REPLACE",
    "DUMP n:T",
    "OBJECT ENCODING n:T",
    "OBJECT REFCOUNT l:T",
    "OBJECT FREQ l:T",
    "OBJECT IDLETIME missing{T}",
    "MEMORY USAGE n:T",
    "SORT i:T",
    "SORT i:T STORE l:T",
    "SORT_RO i:T DESC",
    "SORT l:T ALPHA LIMIT 0 3",
    "RESTORE s:T 0 broken",
    "RANDOMKEY-NO",
    "SRANDMEMBER missing{T}",
    "SPOP missing{T}",
    "HRANDFIELD missing{T}",
    "ZRANDMEMBER missing{T}",
    "EVAL return{KEYS[1],ARGV[1]} 1 s:T V",
    "EVAL return-redis.call('get',KEYS[1]) 1 s:T",
    "EVAL_RO return{1,2,{3,'x'}} 1 s:T",
    "EVAL return-{err='BAD-thing'} 0",
    "EVALSHA 0123456789012345678901234567890123456789 1 s:T",
    "EVALSHA_RO 0123456789012345678901234567890123456789 1 s:T",
    "EVAL return-1 x",
    "EVAL return-1 3 a",
    "FCALL nosuch 1 s:T",
    "FCALL_RO nosuch 1 s:T",
    "PUBLISH ch:A V",
    "SPUBLISH ch:A V",
    "PING",
    "PING V",
    "ECHO V",
    "DBSIZE",
    "SCRIPT EXISTS 0123456789012345678901234567890123456789",
    "SCRIPT LOAD return-2",
    "CONFIG GET save",
    "COMMAND COUNT",
    "COMMAND INFO get nosuch",
    "COMMAND GETKEYS SET a b",
    "COMMAND LIST FILTERBY PATTERN xread*",
    "COMMAND GETKEYSANDFLAGS SET a b",
    "COMMAND",
    "COMMAND DOCS get",
    "ACL WHOAMI",
    "ACL CAT string",
    "SELECT 0",
    "CLIENT GETNAME",
    "CLIENT SETNAME N",
    "CLIENT NO-EVICT ON",
    "PUBSUB CHANNELS",
    "PUBSUB NUMSUB ch",
    "PUBSUB NUMPAT",
    "PUBSUB SHARDCHANNELS",
    "PUBSUB SHARDNUMSUB ch",
    "FUNCTION LIST",
    "UNWATCH",
    "GET",
    "SET s:T",
    "NOSUCH a b",
    "MGET",
    "MSET s:T V s:T",
    "GET s:T s:T",
    "INCRBY n:T x",
    "CLIENT NOSUCH",
    "CONFIG",
    "OBJECT NOSUCH s:T",
    "XADD x:T",
    "LPUSH s:T V",
    "HSET h:T F",
    "ZADD z:T x V",
    "SELECT 99",
    "SELECT x",
    "EXEC",
    "DISCARD",
    "EXPIRE s:T x",
    "SETEX s:T 0 V",
    "BLPOP l:T x",
    "HELLO 9",
    "HELLO x",
    "AUTH p",
    "AUTH a b c",
    "CLIENT REPLY x",
  };

  private static final Set<String> TYPES =
      Set.of("s", "l", "n", "f", "b", "i", "h", "z", "p", "g", "x", "ch");

  private final Random random;
  private int serial;

  CommandSamples(Random random) {
    this.random = random;
  }

  /** How many kinds of requests there are. */
  static int kinds() {
    return (int) List.of(TEMPLATES).stream().filter(template -> !template.contains("-NO")).count();
  }

  /** The commands that are drawn, in small letters, sub-commands with their container. */
  static Map<String, String> commands() {
    Map<String, String> commands = new LinkedHashMap<>();
    for (String template : TEMPLATES) {
      String[] words = template.toLowerCase(java.util.Locale.ROOT).split(" ", -1);
      commands.put(words[0], template);
      if (words.length > 1) {
        commands.put(words[0] + " " + words[1], template);
      }
    }
    return commands;
  }

  /** The next request. */
  String[] next() {
    String template;
    do {
      template = TEMPLATES[random.nextInt(TEMPLATES.length)];
    } while (template.contains("-NO"));
    int tag = random.nextInt(12);
    List<String> words = new ArrayList<>();
    for (String word : template.split(" ", -1)) {
      words.add(drawn(word, tag));
    }
    return words.toArray(new String[0]);
  }

  private String drawn(String word, int tag) {
    int colon = word.indexOf(':');
    if (colon > 0 && TYPES.contains(word.substring(0, colon))) {
      int of = word.endsWith(":A") ? random.nextInt(12) : tag;
      return word.substring(0, colon) + random.nextInt(3) + "{t" + of + "}";
    }
    return switch (word) {
      case "V" -> value();
      case "N" -> Integer.toString(random.nextInt(40));
      case "N-1" -> ++serial + "-1";
      case "F" -> "f" + random.nextInt(6);
      default ->
          word.startsWith("missing")
              ? "missing{t" + tag + "}"
              : word.startsWith("return") ? word.replace('-', ' ') : word;
    };
  }

  private String value() {
    return switch (random.nextInt(12)) {
      case 0 -> "";
      case 1 -> "a\r\nb\0c";
      case 2 -> "x".repeat(random.nextInt(300));
      case 3 -> random.nextInt(20) == 0 ? "y".repeat(20_000) : "$5\r\n";
      default -> "v" + random.nextInt(10);
    };
  }
}
