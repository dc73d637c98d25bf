/**
 * The command line: the only place that wires the parts together. Commands parse, call the library
 * and print; nothing is decided here that the library could decide.
 */
@NullMarked
package dev.beltway.cli;

import org.jspecify.annotations.NullMarked;
