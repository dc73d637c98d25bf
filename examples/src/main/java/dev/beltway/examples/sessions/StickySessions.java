package dev.beltway.examples.sessions;

import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs the service: four instances and some hundred sessions, then a fifth instance, then one
 * fewer; and prints who moved.
 */
public final class StickySessions {

  private static final int SESSIONS = 300;

  private StickySessions() {}

  /**
   * What was seen.
   *
   * @param sessions how many there are
   * @param movedByJoin how many had to reconnect when an instance joined
   * @param joined how many of those are at the new instance
   * @param left how many the leaving instance had
   * @param movedByLeave how many had to reconnect when it left
   * @param lost messages without an answer
   * @param fullest the most sessions of an instance at the end
   * @param cap the most that it may have
   */
  public record Seen(
      int sessions,
      int movedByJoin,
      int joined,
      long left,
      int movedByLeave,
      long lost,
      long fullest,
      long cap) {}

  /** Runs it. */
  public static void main(String[] arguments) {
    Seen seen = run(SESSIONS);
    System.out.printf("%d sessions on 4 instances%n", seen.sessions());
    System.out.printf(
        "a fifth joins: %d sessions reconnect, %d of them to it; a fifth would be %d%n",
        seen.movedByJoin(), seen.joined(), seen.sessions() / 5);
    System.out.printf(
        "one leaves: its %d sessions reconnect, and %d others%n",
        seen.left(), seen.movedByLeave() - seen.left());
    System.out.printf(
        "%d messages were lost; the fullest instance has %d sessions of at most %d%n",
        seen.lost(), seen.fullest(), seen.cap());
    System.exit(0); // The HTTP client's threads would go on for a while.
  }

  /** Runs it with so many sessions. */
  public static Seen run(int count) {
    Directory directory = new Directory();
    Map<String, Instance> instances = new TreeMap<>();
    try {
      for (String id : List.of("chat-a", "chat-b", "chat-c", "chat-d")) {
        start(id, directory, instances);
      }
      HttpClient http = HttpClient.newHttpClient();
      List<Client> clients = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        clients.add(new Client("session-" + i, directory, http));
      }
      talk(clients);

      List<String> moved = start("chat-e", directory, instances);
      instances.values().forEach(each -> each.move(moved));
      talk(clients);
      int joined = (int) clients.stream().filter(each -> each.instance().equals("chat-e")).count();
      int movedByJoin = clients.stream().mapToInt(Client::reconnects).sum();

      Instance leaving = instances.get("chat-b");
      long left = directory.loads().getOrDefault("chat-b", 0L);
      if (leaving != null) {
        leaving.move(directory.leave("chat-b"));
        talk(clients);
        leaving.close();
        instances.remove("chat-b");
      }
      talk(clients);
      long answered = clients.stream().mapToLong(Client::count).sum();
      return new Seen(
          count,
          movedByJoin,
          joined,
          left,
          clients.stream().mapToInt(Client::reconnects).sum() - movedByJoin,
          4L * count - answered,
          directory.loads().values().stream().mapToLong(Long::longValue).max().orElse(0),
          directory.cap());
    } finally {
      instances.values().forEach(Instance::close);
    }
  }

  private static List<String> start(
      String id, Directory directory, Map<String, Instance> instances) {
    Instance instance = new Instance(id, directory);
    instances.put(id, instance);
    return directory.join(instance.node());
  }

  private static void talk(List<Client> clients) {
    clients.forEach(Client::talk);
  }
}
