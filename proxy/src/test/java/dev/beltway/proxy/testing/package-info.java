/** Real servers and pools for tests. */
@NullMarked
package dev.beltway.proxy.testing;

import org.jspecify.annotations.NullMarked;
