/** What a log of requests does to the nodes of a topology: load, movement, hot keys, remedies. */
@NullMarked
package dev.beltway.lab.load;

import org.jspecify.annotations.NullMarked;
