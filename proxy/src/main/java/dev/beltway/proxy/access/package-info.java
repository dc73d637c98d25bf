/** Who may do what: users, their passwords as hashes, and rules by command, key and channel. */
@NullMarked
package dev.beltway.proxy.access;

import org.jspecify.annotations.NullMarked;
