/**
 * Consistent-hash placement: hash functions, topologies, who owns a key, what a change moves. Pure
 * functions on immutable values.
 */
module dev.beltway.core {
  requires com.dynatrace.hash4j;
  requires static transitive org.jspecify;

  exports dev.beltway.balance;
  exports dev.beltway.hash;
  exports dev.beltway.health;
  exports dev.beltway.placement;
  exports dev.beltway.plan;
  exports dev.beltway.token;
  exports dev.beltway.topology;
}
