/** Scheduled jobs of many tenants, each on the worker that owns the tenant. */
@NullMarked
package dev.beltway.examples.jobs;

import org.jspecify.annotations.NullMarked;
