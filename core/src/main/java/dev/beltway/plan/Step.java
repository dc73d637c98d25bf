package dev.beltway.plan;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One step of a change: small enough to be watched, taken back and checked before the next.
 *
 * @param number from 1
 * @param node the node that gains or loses; empty where the step concerns all
 * @param kind what happens to the node over all its steps
 * @param unit what is counted: {@code vnodes} or {@code slots}; empty where nothing is
 * @param from how many the node holds before the step
 * @param to how many it holds afterwards
 * @param detail what exactly moves, in words; may be empty
 * @param moved part of all keys that the step moves, 0 to 1
 * @param keys how many keys that is, if the number of all is known
 * @param seconds how long it takes, if the throttle is known
 * @param flag why the step is larger than it should be; empty if it isn't
 */
public record Step(
    int number,
    String node,
    NodeChange.Kind kind,
    String unit,
    int from,
    int to,
    String detail,
    double moved,
    OptionalLong keys,
    OptionalDouble seconds,
    String flag) {}
