/** A whole cluster on this machine, as {@code beltway up} runs it. */
@NullMarked
package dev.beltway.cli.local;

import org.jspecify.annotations.NullMarked;
