package dev.beltway.topology;

/** The rules for a node's address: {@code host:port}, IPv6 in brackets. */
public final class Address {

  private static final int MOST_CHARS = 300;

  private Address() {}

  /**
   * Returns the address if it has a host without spaces and a port from 1 to 65,535. Names are not
   * looked up: a node whose name doesn't resolve is still a node.
   *
   * @throws IllegalArgumentException otherwise
   */
  public static String checked(String address) {
    int colon = address.lastIndexOf(':');
    boolean hostAllowed =
        colon > 0 && address.length() <= MOST_CHARS && isHost(address.substring(0, colon));
    if (!hostAllowed || !isPort(address.substring(colon + 1))) {
      throw new IllegalArgumentException(
          "address \""
              + Texts.visible(address)
              + "\" is not host:port with a port from 1 to 65535");
    }
    return address;
  }

  /** Whether the text has the form of an address, as a name that was made from one has. */
  public static boolean isAddress(String text) {
    int colon = text.lastIndexOf(':');
    return colon > 0 && isHost(text.substring(0, colon)) && isPort(text.substring(colon + 1));
  }

  /** The host of an address. */
  public static String host(String address) {
    return address.substring(0, address.lastIndexOf(':'));
  }

  private static boolean isHost(String host) {
    if (host.startsWith("[")) {
      return host.matches("\\[[0-9A-Fa-f:.]+(%[A-Za-z0-9_.-]+)?]");
    }
    return Texts.isPlain(host)
        && host.chars().noneMatch(c -> Character.isWhitespace(c) || ":[]/\"'".indexOf(c) >= 0);
  }

  private static boolean isPort(String port) {
    if (port.isEmpty() || port.length() > 5 || !port.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return false;
    }
    int number = Integer.parseInt(port);
    return number >= 1 && number <= 65_535;
  }

  /** The host of an address as a name service takes it: an IPv6 address without its brackets. */
  public static String hostName(String address) {
    String host = host(address);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** The port of an address. */
  public static int port(String address) {
    return Integer.parseInt(address.substring(host(address).length() + 1));
  }
}
