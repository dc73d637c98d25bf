/**
 * Topology files, YAML or JSON, in and out. What is wrong with a file is told with the file, the
 * line, the field, the value and what is allowed. May import {@code core} alone.
 */
@NullMarked
package dev.beltway.config;

import org.jspecify.annotations.NullMarked;
