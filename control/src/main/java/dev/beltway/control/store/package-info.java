/** What is stored about a cluster, in ZooKeeper: every write is conditional on what was read. */
@NullMarked
package dev.beltway.control.store;

import org.jspecify.annotations.NullMarked;
