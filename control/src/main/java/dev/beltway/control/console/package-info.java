/** The web console's files, as they are served. */
@NullMarked
package dev.beltway.control.console;

import org.jspecify.annotations.NullMarked;
