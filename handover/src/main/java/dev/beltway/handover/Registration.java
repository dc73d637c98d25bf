package dev.beltway.handover;

/**
 * One start of a proxy. Each start is a registration of its own, with a login of its own (rule 3).
 *
 * @param id unique for ever; later ones are greater
 * @param name what people call the proxy
 * @param passwordHash SHA-256 of its login's password in 64 small hexadecimal digits
 * @param admitted whether it has been told that its login is made
 * @param struck whether it is to be fenced
 * @param acknowledged the last version that it has acknowledged; 0 for none
 */
public record Registration(
    String id,
    String name,
    String passwordHash,
    boolean admitted,
    boolean struck,
    long acknowledged) {

  /** Its login at nodes. */
  public String user() {
    return Names.PROXY_USERS + id;
  }
}
