package dev.beltway.topology;

/** What fails together, so that two replicas of a key should not share it. */
public enum FailureDomain {
  /** Each node alone. */
  NODE("node"),
  /** Nodes with the same zone; one that states no zone is a domain of its own. */
  ZONE("zone"),
  /** Nodes whose addresses have the same host; one without an address is a domain of its own. */
  HOST("host");

  private final String text;

  FailureDomain(String text) {
    this.text = text;
  }

  /** The name in topology files. */
  public String text() {
    return text;
  }

  /** The domain of a node, unique among the domains of this kind. */
  public String of(Node node) {
    String own = "node " + node.id();
    return switch (this) {
      case NODE -> own;
      case ZONE -> node.zone().map(zone -> "zone " + zone).orElse(own);
      case HOST -> node.address().map(address -> "host " + Address.host(address)).orElse(own);
    };
  }
}
