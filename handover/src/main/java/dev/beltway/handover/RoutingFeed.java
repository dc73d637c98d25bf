package dev.beltway.handover;

import java.io.IOException;
import java.util.function.Consumer;

/** Where a proxy learns what to obey, and acknowledges it; whatever the coordination is made of. */
public interface RoutingFeed extends AutoCloseable {

  /**
   * Registers one start of a proxy.
   *
   * @param name what people call it
   * @param passwordHash of the login that is to be made for it at every node
   * @param address where clients connect, for people
   * @throws IOException if nobody can be asked
   */
  Membership register(String name, String passwordHash, String address) throws IOException;

  @Override
  void close();

  /** One registration. */
  interface Membership {

    /** Unique for ever. */
    String id();

    /** The control database of every node; clients may use those before it. */
    int control();

    /**
     * Waits until the login is made at every node that answers.
     *
     * @return false if it was struck off meanwhile
     * @throws IOException if that isn't known in time
     */
    boolean awaitAdmission(long millis) throws IOException, InterruptedException;

    /** The state, from the store itself and no cache. */
    RoutingState read() throws IOException;

    /**
     * From now on tells of each state, the latest always, in the order of the store; and once if
     * the registration is gone. Told in one thread.
     */
    void listen(Consumer<RoutingState> states, Runnable unregistered);

    /**
     * Whether a later start of a proxy has the same name, and a process that lives.
     *
     * @throws IOException if nobody can be asked
     */
    boolean isSucceeded() throws IOException;

    /** Writes down an acknowledgement; tried until it is known to be written. */
    void acknowledge(long version);

    /**
     * Says what its clients ask for most. It is for people: the latest counts, and may get lost.
     */
    void tell(Heat heat);

    /** Strikes itself off, after everything that it has sent is over. */
    void leave();
  }
}
