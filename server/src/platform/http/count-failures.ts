import type { FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { networkOf } from "../../core/network.ts";
import type { NetworkLimits } from "./access.ts";
import type { Admit, Caller } from "./caller.ts";

/** The number of limited requests since the last log line, and the network of the latest one. */
export type LimitedAttempts = { readonly attempts: number; readonly network: string };

export type FailureOptions = {
  readonly clock: Clock;
  /** Null when limits are off. */
  readonly limits: NetworkLimits | null;
  /** Returns false for a request that is certain to be rejected. Must not read the database at each call. */
  readonly mayBeAccepted: (request: FastifyRequest) => Promise<boolean>;
  /** Called for each rejected request. `limited` is true if its network exceeded the limit and the response was 429. */
  readonly onFailed?: (failed: {
    readonly credential: "api_key" | "session";
    readonly limited: boolean;
  }) => void;
  /** Called at most once a minute, so that an attack does not fill the log. */
  readonly onLimited: (limited: LimitedAttempts) => void;
};

const reportEveryMs = 60_000;

/**
 * Wraps `admit` to count, for each network, the requests whose key or session is not accepted. Accepted requests are
 * never counted or slowed down. Once a network exceeds its limit, its wrong keys are rejected without a database read
 * for each.
 */
export function countFailures(admit: Admit, options: FailureOptions): Admit {
  const { limits, mayBeAccepted, onFailed } = options;
  const report = createReport(options);

  async function count(request: FastifyRequest): Promise<void> {
    const { authorization } = request.headers;
    const credential = authorization === undefined ? "session" : "api_key";
    try {
      await limits?.count("failures", request);
    } catch (error) {
      onFailed?.({ credential, limited: true });
      report(networkOf(request.ip));
      throw error;
    }
    onFailed?.({ credential, limited: false });
  }

  const admitAndCount: Admit = (request) =>
    admit(request).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 401) await count(request);
      throw error;
    });

  async function admitLimited(request: FastifyRequest): Promise<Caller> {
    if (await mayBeAccepted(request)) return admitAndCount(request);
    await count(request);
    // `count` did not throw, so the limit is no longer exceeded. `admit` returns the same response as for any wrong
    // key, without counting the request again.
    return admit(request);
  }

  return (request) =>
    limits?.isExceeded("failures", request) ? admitLimited(request) : admitAndCount(request);
}

/**
 * Returns a function that reports limited requests. It reports the first one immediately, counts those of the next
 * minute, and reports them together with the first one after that minute.
 */
function createReport({ clock, onLimited }: FailureOptions): (network: string) => void {
  let attempts = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (network) => {
    attempts++;
    const now = clock.now().getTime();
    if (now - reportedAt < reportEveryMs) return;
    onLimited({ attempts, network });
    reportedAt = now;
    attempts = 0;
  };
}
