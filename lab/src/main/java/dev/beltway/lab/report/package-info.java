/** Reports that people read: one HTML file, its charts inline, no network. */
@NullMarked
package dev.beltway.lab.report;

import org.jspecify.annotations.NullMarked;
