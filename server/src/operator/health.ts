import type { Health } from "@florin/contract/operator.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt } from "../primitives/ids.ts";
import {
  readDatabaseSize,
  readFailingEndpoints,
  readOpenDifferences,
  readProcesses,
  readQueues,
  readUnknownOutcomes,
} from "./health.sql.ts";
import type { OperatorDeps } from "./operator-deps.ts";

/** How the service is, as far as its database knows. */
export async function describeHealth(
  { database: { read }, sendsMail }: Pick<OperatorDeps, "database" | "sendsMail">,
  now: Date,
): Promise<Health> {
  const [queues, unknown, failing, differences, processes, size] = await Promise.all([
    readQueues(read, now, { sendsMail }),
    readUnknownOutcomes(read),
    readFailingEndpoints(read),
    readOpenDifferences(read),
    readProcesses(read),
    readDatabaseSize(read),
  ]);
  return {
    checked_at: unixSeconds(now),
    queues: queues.map(({ oldest, ...queue }) => ({
      ...queue,
      oldest: oldest && unixSeconds(oldest),
    })),
    unknown_outcomes: unknown.map((one) => ({ ...one, created: unixSeconds(createdAt(one.id)) })),
    failing_endpoints: failing.map(({ failingSince, ...endpoint }) => ({
      ...endpoint,
      failing_since: failingSince && unixSeconds(failingSince),
    })),
    open_differences: differences,
    processes: processes.map(({ number, seenAt }) => ({ number, seen_at: unixSeconds(seenAt) })),
    database: { size_bytes: size.sizeBytes, connections: size.connections },
  };
}
