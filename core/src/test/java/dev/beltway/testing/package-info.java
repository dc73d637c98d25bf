/** What several tests share: the vectors, a seeded generator, a dumb model of a ring. */
@NullMarked
package dev.beltway.testing;

import org.jspecify.annotations.NullMarked;
