/** The published tables about consistent hashing, computed again and judged. */
@NullMarked
package dev.beltway.lab.tables;

import org.jspecify.annotations.NullMarked;
