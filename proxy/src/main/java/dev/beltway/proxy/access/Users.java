package dev.beltway.proxy.access;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The users of a proxy. Immutable. */
public final class Users {

  /** Who a client is before it says so. */
  public static final String DEFAULT = "default";

  /** Anybody may do anything, without a password. */
  public static final Users OPEN =
      new Users(
          List.of(new User(DEFAULT, List.of(), true, CommandRules.ALL, List.of(""), List.of(""))));

  private final Map<String, User> byName = new LinkedHashMap<>();

  /**
   * These.
   *
   * @throws IllegalArgumentException if two have one name
   */
  public Users(Collection<User> users) {
    for (User user : users) {
      if (byName.put(user.name(), user) != null) {
        throw new IllegalArgumentException("user " + user.name() + " stands twice");
      }
    }
  }

  /** Who a client is that hasn't said so: somebody only if the default user needs no password. */
  public Optional<User> unnamed() {
    return Optional.ofNullable(byName.get(DEFAULT)).filter(User::anyPassword);
  }

  /** The user of that name and password. */
  public Optional<User> login(String name, String password) {
    User user = byName.get(name);
    if (user == null) {
      User.sha256(password); // As long as for a name that exists.
      return Optional.empty();
    }
    return user.knows(password) ? Optional.of(user) : Optional.empty();
  }
}
