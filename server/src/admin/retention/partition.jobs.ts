import { requestLifeMs } from "../../insights/request-log/request-log.jobs.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  maintainPartitions,
  type PartitionDeps,
  type PartitionGroup,
} from "../../platform/partitions/partitions.ts";
import { hasPendingDelivery } from "../../webhooks/delivery/delivery.sql.ts";
import { eventLifeMs } from "../../webhooks/events/event.ts";

/**
 * The tables that are partitioned by week. The ids of an event and its deliveries contain the same time, so their rows
 * are in partitions of the same week.
 */
export const partitionGroups: readonly PartitionGroup[] = [
  {
    tables: ["events", "webhook_deliveries"],
    lifeMs: eventLifeMs,
    isNeeded: hasPendingDelivery,
  },
  { tables: ["request_log"], lifeMs: requestLifeMs },
];

/** Creates the partitions of the next weeks, and drops partitions whose rows have all expired. */
export function startPartitions(deps: PartitionDeps, background: Background): Loop {
  return startLoop({
    name: "partitions",
    everyMs: 10 * 60_000,
    background,
    async work() {
      await maintainPartitions(deps, partitionGroups);
      return false;
    },
  });
}
