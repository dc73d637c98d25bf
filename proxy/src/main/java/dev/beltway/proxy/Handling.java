package dev.beltway.proxy;

import dev.beltway.resp.command.Command;
import dev.beltway.resp.command.Treatment;

/**
 * A command with what the hot path asks of it, worked out beforehand.
 *
 * @param command the command
 * @param treatment what is done with it
 * @param onlyKey the argument that is its only key; 0 if that isn't so simple
 * @param number for {@link Traffic}
 * @param script whether it runs a script that a node may have lost
 */
record Handling(Command command, Treatment treatment, int onlyKey, int number, boolean script) {

  static Handling of(Command command) {
    String name = command.name();
    return new Handling(
        command,
        command.treatment(),
        command.onlyKey(),
        Traffic.number(command),
        name.equals("evalsha") || name.equals("evalsha_ro"));
  }
}
