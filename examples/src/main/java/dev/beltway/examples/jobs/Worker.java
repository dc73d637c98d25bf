package dev.beltway.examples.jobs;

import dev.beltway.placement.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the processes that do the jobs of all tenants. Each has the same topology, and does those
 * of the tenants that it owns: no worker asks another one. Immutable; a change of the workers makes
 * new ones.
 */
public final class Worker {

  private final String id;
  private final Placement placement;

  /** One under a placement of all workers. */
  public Worker(String id, Placement placement) {
    this.id = id;
    this.placement = placement;
  }

  /** Its id. */
  public String id() {
    return id;
  }

  /** Whether a tenant's jobs are done here. */
  public boolean owns(String tenant) {
    return placement.owner(tenant).id().equals(id);
  }

  /** The tenants whose jobs are due here in a minute. */
  public List<String> due(List<String> tenants, long minute) {
    List<String> mine = new ArrayList<>();
    for (String tenant : tenants) {
      if (owns(tenant) && (minute + offset(tenant)) % 5 == 0) {
        mine.add(tenant);
      }
    }
    return mine;
  }

  /** Every fifth minute, but not all tenants in the same one. */
  private static long offset(String tenant) {
    return Math.floorMod(tenant.length() * 31L + tenant.charAt(tenant.length() - 1), 5L);
  }
}
