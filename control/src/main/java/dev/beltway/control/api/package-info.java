/** Changes that people ask for, and the HTTP API. */
@NullMarked
package dev.beltway.control.api;

import org.jspecify.annotations.NullMarked;
