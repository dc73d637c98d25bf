/**
 * The hand-over: how keys change their node while clients go on. Everything here is pure: no
 * socket, thread or clock. docs/migration.md has the rules by number; the comments name them.
 */
@NullMarked
package dev.beltway.handover;

import org.jspecify.annotations.NullMarked;
