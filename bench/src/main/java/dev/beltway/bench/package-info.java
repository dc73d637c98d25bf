/** Benchmarks, run by {@code bench/run}; results with their machine in docs/benchmarks.md. */
@NullMarked
package dev.beltway.bench;

import org.jspecify.annotations.NullMarked;
