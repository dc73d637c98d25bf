/** The leader: drives the conductor, and does at real nodes what it asks for. */
@NullMarked
package dev.beltway.control.lead;

import org.jspecify.annotations.NullMarked;
