/**
 * RESP2 and RESP3: where frames begin and end, without building objects of what is in them. Nothing
 * here knows connections, commands or nodes.
 */
@NullMarked
package dev.beltway.resp.codec;

import org.jspecify.annotations.NullMarked;
