/** Runs a log against simulated caches while their topology changes. */
@NullMarked
package dev.beltway.lab.replay;

import org.jspecify.annotations.NullMarked;
