/**
 * The command table: what each Redis command is called, which of its arguments are keys, what it
 * does to them, and how a router treats it. Knows no connections; a command is bytes here.
 */
@NullMarked
package dev.beltway.resp.command;

import org.jspecify.annotations.NullMarked;
