package dev.beltway.cli;

import java.net.InetSocketAddress;

/** Addresses named on the command line. */
final class Endpoint {

  private Endpoint() {}

  /** {@code host:port}, IPv6 in brackets, port 0 for any that is free. */
  static InetSocketAddress parse(String option, String text) throws BadInputException {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[(.*)]$", "$1");
    String port = text.substring(colon + 1);
    if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      throw new BadInputException(
          option + ": \"" + text + "\" is not host:port with a port from 0 to 65535");
    }
    InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
    if (address.isUnresolved()) {
      throw new BadInputException(option + ": there is no host " + host);
    }
    return address;
  }
}
