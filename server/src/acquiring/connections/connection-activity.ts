import type { Clock } from "../../core/clock.ts";
import type { AccountId, ConnectionId } from "../../core/ids.ts";
import type { Taken } from "../../core/token-bucket.ts";
import { createLocalBuckets, type TokenBuckets } from "../../platform/processes/token-buckets.ts";
import type { Connection } from "./connection.ts";
import {
  admitted,
  afterFailure,
  afterInconclusiveProbe,
  type Circuit,
  closedCircuit,
  isOpen,
} from "./connection-circuit.ts";

/** The result of a request to an acquirer. Nothing else of the request or its response is recorded. */
export type ConnectionResponse = {
  /** The operation, such as `authorize` or `refund`. */
  readonly operation: string;
  /** The kind of the outcome, such as `approved` or `unknown`. */
  readonly outcome: string;
  /** The reason of a rejected or unknown outcome, such as `credentials` or `timeout`. */
  readonly why: string | null;
  readonly durationMs: number;
  readonly at: Date;
};

export type Admission =
  | { readonly kind: "admitted" }
  /** The acquirer has not responded to the last requests. */
  | { readonly kind: "circuit_open"; readonly until: Date }
  /** The connection's limit is reached. The request had no turn in time, or too many of the account's requests wait. */
  | { readonly kind: "rate_limited" }
  /** The primary process, which counts the requests of all processes, has exited or does not respond. */
  | { readonly kind: "not_counted" }
  /** This process or the primary process was suspended while the request waited. It is too late to send the request. */
  | { readonly kind: "too_late" };

/** The account and the kind of a request, which determine its turn if the rate limit of the connection is reached. */
export type AdmissionRequest = {
  readonly account: AccountId;
  /** `operation`: a capture, void or refund. */
  readonly kind: "payment" | "operation";
};

export type ConnectionHealth = {
  readonly circuit: Circuit & { readonly isOpen: boolean };
  /** The number of recorded responses by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
};

/**
 * Tracks the requests that this process sends to acquirers. For each connection, each process has its own list of the
 * last responses and its own circuit breaker. The rate limit of a connection applies to all processes of the service
 * together.
 */
export type ConnectionActivity = {
  /**
   * Returns whether a request may be sent now. Must be called before each request. Only an admitted request may be
   * sent. If the rate limit of the connection is reached, the accounts that use the connection send their requests in
   * turn, and a request waits for its turn for up to 1.5 seconds.
   */
  admit(
    connection: Pick<Connection, "id" | "requestsPerSecond">,
    request: AdmissionRequest,
  ): Promise<Admission>;
  /** Returns whether `admit` would reject a request now because the circuit breaker is open. */
  isCircuitOpen(connection: ConnectionId): boolean;
  /** Records the outcome of a request. */
  record(connection: ConnectionId, response: ConnectionResponse): void;
  /** Returns the last responses, newest first. */
  responsesOf(connection: ConnectionId): readonly ConnectionResponse[];
  healthOf(connection: ConnectionId): ConnectionHealth;
};

export type ConnectionActivityDeps = {
  readonly clock: Clock;
  /** Returns a number between 0 and 1 for jitter. */
  readonly random: () => number;
  /** Called after three requests in a row whose credentials the acquirer rejected. */
  readonly onCredentialsRejected: (connection: ConnectionId) => void;
  /**
   * Called with the number of requests that the rate limit of the connection has rejected, at most once a minute for
   * each connection.
   */
  readonly onRateLimited: (connection: ConnectionId, rejections: number) => void;
  /**
   * Called for each request that is counted against the rate limit of its connection, with the time until it was
   * admitted or rejected. Not called if the circuit is already open.
   */
  readonly observeWait?: (result: Admission["kind"], waitMs: number) => void;
  /** The rate limits of the connections. */
  readonly buckets?: TokenBuckets;
};

const maxResponses = 50;

/** The minimum time between two calls of `onRateLimited` for a connection. */
const rateLimitedEveryMs = 60_000;

/**
 * The maximum time that a request waits for its turn if the rate limit of the connection is reached. At one request per
 * second, a wait of one second would not always include a turn.
 */
const maxWaitMs = 1_500;

/**
 * The maximum length of an account's queue, as the time in which the account's share of the rate limit would empty it.
 */
const maxQueueMs = 1_000;

/**
 * The maximum time between the call of `admit` and the admission. A process that was suspended while a request waited
 * must not send the request when it continues, because the payment may have been reversed in the meantime.
 */
export const maxAdmissionMs = 2_000;

/**
 * The number of consecutive rejections after which the connection is suspended. A single rejection may be a fault of
 * the acquirer.
 */
const rejectionsToSuspend = 3;

type Tracked = {
  responses: ConnectionResponse[];
  circuit: Circuit;
  /** True while the outcome of a probe of the open circuit is awaited. */
  isProbing: boolean;
  rejectedCredentials: number;
  /** The number of requests that the rate limit has rejected since the last call of `onRateLimited`. */
  rateLimited: number;
  rateLimitedAt: number;
};

export function createConnectionActivity({
  clock,
  random,
  onCredentialsRejected,
  onRateLimited,
  observeWait,
  buckets = createLocalBuckets(),
}: ConnectionActivityDeps): ConnectionActivity {
  const records = new Map<ConnectionId, Tracked>();

  function recordOf(connection: ConnectionId): Tracked {
    let record = records.get(connection);
    if (!record) {
      record = {
        responses: [],
        circuit: closedCircuit,
        isProbing: false,
        rejectedCredentials: 0,
        rateLimited: 0,
        rateLimitedAt: Number.NEGATIVE_INFINITY,
      };
      records.set(connection, record);
    }
    return record;
  }

  /** Admits the request, or rejects it if the circuit has opened while the request waited for a token. */
  function admit(record: Tracked): Admission {
    const circuit = admitted(record.circuit, clock.now());
    if (circuit === null) return circuitOpen(record);
    record.isProbing = record.circuit.openUntil !== null;
    record.circuit = circuit;
    return { kind: "admitted" };
  }

  function reject(id: ConnectionId, record: Tracked): Admission {
    record.rateLimited += 1;
    const now = clock.now().getTime();
    // Compares the absolute difference, so that the call is not suppressed after the clock was set back.
    if (Math.abs(now - record.rateLimitedAt) >= rateLimitedEveryMs) {
      onRateLimited(id, record.rateLimited);
      record.rateLimited = 0;
      record.rateLimitedAt = now;
    }
    return { kind: "rate_limited" };
  }

  /** Waits for a token of the rate limit, then admits or rejects the request. */
  async function admitInTurn(
    record: Tracked,
    { id, perSecond }: { readonly id: ConnectionId; readonly perSecond: number },
    { account, kind }: AdmissionRequest,
    calledAt: number,
  ): Promise<Admission> {
    const size = { perSecond, capacity: perSecond };
    const taking = buckets.takeInTurn(id, size, { party: account, kind, maxWaitMs, maxQueueMs });
    if (!(taking instanceof Promise)) {
      return taking.taken ? admit(record) : reject(id, record);
    }
    let taken: Taken;
    try {
      taken = await taking;
    } catch {
      // Returns a result instead of throwing. An error would leave the outcome of the payment unknown, although no
      // request was sent.
      return { kind: "not_counted" };
    }
    if (!taken.taken) return reject(id, record);
    return performance.now() - calledAt > maxAdmissionMs ? { kind: "too_late" } : admit(record);
  }

  return {
    async admit({ id, requestsPerSecond: perSecond }, request) {
      const record = recordOf(id);
      if (isOpen(record.circuit, clock.now())) return circuitOpen(record);
      if (perSecond === null) return admit(record);
      const calledAt = performance.now();
      const admission = await admitInTurn(record, { id, perSecond }, request, calledAt);
      observeWait?.(admission.kind, performance.now() - calledAt);
      return admission;
    },

    isCircuitOpen(connection) {
      const record = records.get(connection);
      return record !== undefined && isOpen(record.circuit, clock.now());
    },

    record(connection, { operation, outcome, why, durationMs, at }) {
      const record = recordOf(connection);
      // Copies the listed fields, so that a caller cannot store more by accident.
      record.responses.unshift({ operation, outcome, why, durationMs, at });
      record.responses.length = Math.min(record.responses.length, maxResponses);
      // Responses to disputes are sent to another host, so their outcomes do not count for the circuit breaker or for
      // the suspension of the connection.
      if (operation === "respond_to_dispute") return;
      const wasProbing = record.isProbing;
      record.isProbing = false;
      // A customer can send invalid tokens. Their rejections must neither hide an acquirer that has stopped processing
      // payments, nor prevent the suspension of a connection whose key is rejected.
      if (outcome === "rejected" && why === "wallet_token") {
        if (wasProbing) record.circuit = afterInconclusiveProbe(record.circuit, clock.now());
        return;
      }
      if (outcome === "unknown" || outcome === "not_sent") {
        record.circuit = afterFailure(record.circuit, clock.now(), random());
        return;
      }
      record.circuit = closedCircuit;
      const isRejected = outcome === "rejected" && why === "credentials";
      record.rejectedCredentials = isRejected ? record.rejectedCredentials + 1 : 0;
      if (record.rejectedCredentials < rejectionsToSuspend) return;
      record.rejectedCredentials = 0;
      onCredentialsRejected(connection);
    },

    responsesOf: (connection) => records.get(connection)?.responses ?? [],

    healthOf(connection) {
      const { responses = [], circuit = closedCircuit } = records.get(connection) ?? {};
      const outcomes: Record<string, number> = {};
      for (const { outcome } of responses) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      const durations = responses.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
      return {
        circuit: { ...circuit, isOpen: isOpen(circuit, clock.now()) },
        outcomes,
        medianMs: percentile(durations, 0.5),
        p95Ms: percentile(durations, 0.95),
      };
    },
  };
}

function circuitOpen({ circuit }: Tracked): Admission {
  return { kind: "circuit_open", until: circuit.openUntil as Date };
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
