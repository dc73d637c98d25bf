/** Key logs: files of keys, read as a stream in bounded memory. */
@NullMarked
package dev.beltway.lab.log;

import org.jspecify.annotations.NullMarked;
