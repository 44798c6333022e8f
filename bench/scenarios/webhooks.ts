import { setTimeout as sleep } from "node:timers/promises";
import type { Measurement } from "../measurement.ts";
import type { Child } from "../processes/child.ts";
import type { QueueState, Round } from "../processes/queue.ts";
import type { Received } from "../processes/receiver.ts";
import type { Scenario } from "./scenario.ts";

/** One worker process that signs, sends and records webhooks, compared with job queues whose jobs do nothing. */
export const webhookScenarios: readonly Scenario[] = [
  {
    name: "webhooks signed, sent and recorded by one worker",
    async measure(environment) {
      const receiver = await environment.receiver();
      const before = ((await receiver.readState()) as Received).events;
      const round = await runRound(await environment.queue("delivery-worker"));
      const arrived = ((await receiver.readState()) as Received).events - before;
      const violations =
        arrived === round.jobs ? [] : [`${arrived} of ${round.jobs} webhooks arrived`];
      return toMeasurement(round, violations);
    },
  },
  {
    name: "peer: graphile-worker, empty jobs",
    measure: async (environment) =>
      toMeasurement(await runRound(await environment.queue("graphile-worker"))),
  },
  {
    name: "peer: graphile-worker, one statement per job",
    measure: async (environment) =>
      toMeasurement(await runRound(await environment.queue("graphile-worker-one-by-one"))),
  },
  {
    name: "peer: pg-boss, empty jobs",
    measure: async (environment) =>
      toMeasurement(await runRound(await environment.queue("pg-boss"))),
  },
];

async function runRound(child: Child<unknown>): Promise<Round> {
  for (;;) {
    const { round } = (await child.readState()) as QueueState;
    if (round) return round;
    await sleep(20);
  }
}

function toMeasurement({ jobs, seconds }: Round, violations: readonly string[] = []): Measurement {
  return {
    perSecond: jobs / seconds,
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    succeeded: jobs,
    seconds,
    cpu: null,
    violations,
  };
}
