package dev.beltway.lab.log;

/** Makes requests for tests. */
public final class Requests {

  private Requests() {}

  /** A read of a key, once, without size or time. */
  public static Request read(String key) {
    return request(key, Operation.READ, 1, 0);
  }

  /** A request without time. */
  public static Request request(String key, Operation operation, long count, long size) {
    return request(key, operation, count, size, Request.NO_TIME, 0);
  }

  /** A request. */
  public static Request request(
      String key, Operation operation, long count, long size, long time, long ttl) {
    Request request = new Request();
    byte[] bytes = key.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    request.key(bytes, 0, bytes.length);
    request.operation = operation;
    request.count = count;
    request.size = size;
    request.time = time;
    request.ttl = ttl;
    return request;
  }
}
