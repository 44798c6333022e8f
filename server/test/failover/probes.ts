import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChargeId } from "../../src/core/ids.ts";
import type { Acknowledged } from "../../src/insights/verify/check.ts";
import { post, type Target } from "../simulation/requests.ts";

/** Charges that are sent at a fixed interval and not repeated, to measure when a server responds. */
export type Probes = {
  readonly acknowledged: readonly Acknowledged[];
  /** Returns when the server first acknowledged a charge that was sent after `since`, or null. */
  firstAcknowledged(server: Target, since: number): number | null;
  /** Returns the number of charges that were sent to the server after `since` and acknowledged. */
  acknowledgedBy(server: Target, since: number): number;
  /** Returns the failed charges that were sent after `since`. */
  failures(since: number): readonly Failure[];
  /** Returns the latencies of the charges that were sent and acknowledged in these intervals. */
  latencies(intervals: readonly (readonly [from: number, to: number])[]): number[];
  stop(): Promise<void>;
};

export type Failure = {
  readonly server: Target;
  readonly sentAt: number;
  readonly endedAt: number;
  /** The status and the body of the response, or the error of the connection. */
  readonly problem: string;
};

type Result = Omit<Failure, "problem"> & { readonly problem: string | null };

const everyMs = 100;
const maxInFlight = 50;

/** Starts to send charges to each of the servers. `servers` may return other servers each time. */
export function startProbes(servers: () => readonly Target[]): Probes {
  const results: Result[] = [];
  const acknowledged: Acknowledged[] = [];
  const inFlight = new Set<Promise<void>>();
  let isRunning = true;

  async function send(server: Target): Promise<void> {
    const sentAt = performance.now();
    const body = { amount: 1_234, currency: "usd", payment_method_id: "pm_card_visa" };
    const request = { bearer: server.secretKey, key: randomUUID(), body };
    const response = await post(server.http, "/api/v1/charges", request).catch(
      (error: Error) => error,
    );
    const endedAt = performance.now();
    if (response instanceof Error || response.status !== 201) {
      const problem =
        response instanceof Error ? response.message : `${response.status} ${response.body}`;
      results.push({ server, sentAt, endedAt, problem });
      return;
    }
    results.push({ server, sentAt, endedAt, problem: null });
    const { id, status } = JSON.parse(response.body) as { id: ChargeId; status: string };
    acknowledged.push({ chargeId: id, status });
  }

  const sending = (async () => {
    for (let next = 0; isRunning; next++) {
      const running = servers();
      const server = running[next % running.length];
      if (server && inFlight.size < maxInFlight * running.length) {
        const probe = send(server).finally(() => inFlight.delete(probe));
        inFlight.add(probe);
      }
      await sleep(everyMs / Math.max(1, running.length));
    }
  })();

  const earliest = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));
  return {
    acknowledged,
    firstAcknowledged: (server, since) =>
      earliest(
        results
          .filter((one) => one.server === server && one.sentAt >= since && one.problem === null)
          .map(({ endedAt }) => endedAt),
      ),
    acknowledgedBy: (server, since) =>
      results.filter((one) => one.server === server && one.sentAt >= since && one.problem === null)
        .length,
    failures: (since) =>
      results.flatMap(({ problem, ...one }) =>
        one.sentAt >= since && problem !== null ? { ...one, problem } : [],
      ),
    latencies: (intervals) =>
      results
        .filter((one) => one.problem === null)
        .filter((one) => intervals.some(([from, to]) => one.sentAt >= from && one.endedAt <= to))
        .map(({ sentAt, endedAt }) => endedAt - sentAt),
    async stop() {
      isRunning = false;
      await sending;
      await Promise.all(inFlight);
    },
  };
}
