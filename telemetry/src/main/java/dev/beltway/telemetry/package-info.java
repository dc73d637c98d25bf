/** The one place where metrics are named and registered, and the pages that show them. */
@NullMarked
package dev.beltway.telemetry;

import org.jspecify.annotations.NullMarked;
