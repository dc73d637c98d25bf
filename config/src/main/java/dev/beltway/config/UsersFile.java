package dev.beltway.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads files of users, YAML or JSON; docs/proxy.md describes the fields. Passwords are in them as
 * SHA-256 only.
 */
public final class UsersFile {

  private static final String KNOWN = "name, passwords, anyPassword, commands, keys, channels";

  private UsersFile() {}

  /**
   * One user as the file has it.
   *
   * @param name unique
   * @param passwords SHA-256 in hexadecimal
   * @param anyPassword whether no password is needed
   * @param commands rules such as {@code +@read}; all commands if the file says nothing
   * @param keys prefixes; one empty prefix if the file says nothing
   * @param channels prefixes; one empty prefix if the file says nothing
   * @param place where in the file it stands, for messages
   */
  public record Entry(
      String name,
      List<String> passwords,
      boolean anyPassword,
      List<String> commands,
      List<String> keys,
      List<String> channels,
      String place) {}

  /**
   * Reads a file.
   *
   * @throws ConfigFileException if it can't be read or isn't a list of users
   */
  public static List<Entry> read(Path path) throws ConfigFileException {
    return parse(path.toString(), YamlFile.bytes(path, "a file of users"));
  }

  /** Reads the bytes of a file; see {@link #read}. */
  public static List<Entry> parse(String name, byte[] bytes) throws ConfigFileException {
    YamlMapping top = YamlFile.root(name, bytes);
    List<YamlMapping> items =
        top.mappings("users").orElseThrow(() -> top.wrong("users", "is missing"));
    top.refuseOthers("users");
    List<Entry> users = new ArrayList<>();
    for (YamlMapping item : items) {
      String user = item.text("name").orElseThrow(() -> item.wrong("name", "is missing"));
      users.add(
          new Entry(
              user,
              item.texts("passwords").orElse(List.of()),
              item.flag("anyPassword").orElse(false),
              item.texts("commands").orElse(List.of("+@all")),
              item.texts("keys").orElse(List.of("")),
              item.texts("channels").orElse(List.of("")),
              name + ":" + item.line()));
      item.refuseOthers(KNOWN);
    }
    return users;
  }
}
