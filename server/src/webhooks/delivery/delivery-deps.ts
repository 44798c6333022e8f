import type { Clock } from "../../core/clock.ts";
import type { Timers } from "../../core/timers.ts";
import type { CacheValidity } from "../../platform/changes/change-feed.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Siblings, shareOf } from "../../platform/processes/siblings.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { ClaimedDelivery, LogEntry } from "./delivery.ts";
import type { ResolveName } from "./dns-resolver.ts";

/** The dependencies of the delivery worker. */
export type DeliveryDeps = {
  readonly database: Database;
  readonly changes: CacheValidity;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A random number between 0 and 1, for the jitter of retries. */
  readonly random: () => number;
  /** The number of this server process. If this process dies, another one takes over its deliveries. */
  readonly processNumber: () => number;
  /** Decrypts the endpoints' signing secrets. */
  readonly keys: KeyProvider;
  /** The private networks to which webhooks may be sent in test mode, in addition to the public internet. */
  readonly privateNetworks: readonly string[];
  readonly resolveName: ResolveName;
  readonly settings?: Partial<DeliverySettings>;
  readonly log: DeliveryLog;
  /** Called after each attempt with its outcome. */
  readonly onAttempt?: (entry: LogEntry, delivery: ClaimedDelivery) => void;
};

export type DeliveryLog = {
  /** Reports an internal error. The work is retried. */
  workFailed(what: string, error: unknown): void;
  /** Reports an endpoint that was disabled after a 410 response or five days of failures. */
  endpointDisabled(endpoint: string, reason: string): void;
};

export type DeliverySettings = {
  /** The deadline of a whole attempt: connecting, sending and receiving the complete response. */
  readonly deadlineMs: number;
  /**
   * The duration of a claim. It must be longer than the sum of the wait in an endpoint queue and the deadline of an
   * attempt.
   */
  readonly leaseMs: number;
  /** The polling interval for deliveries that come due without a call of `wake`, such as retries. */
  readonly pollMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerAccount: number;
  readonly maxInFlightPerEndpoint: number;
  readonly maxInFlightPerFastEndpoint: number;
  /**
   * The maximum number of deliveries in memory. Includes those that are waiting, in flight, or finished and not yet
   * recorded.
   */
  readonly maxHeld: number;
  readonly claimSize: number;
  readonly endpointsPerClaim: number;
};

/**
 * The limits of deliveries in flight apply per service. Several servers on one database have separate limits. See
 * docs/decisions/0011-webhook-limits-and-circuit-breakers.md.
 */
export const defaultDeliverySettings: DeliverySettings = {
  deadlineMs: 20_000,
  leaseMs: 60_000,
  pollMs: 500,
  maxInFlight: 512,
  maxInFlightPerAccount: 32,
  maxInFlightPerEndpoint: 8,
  maxInFlightPerFastEndpoint: 32,
  maxHeld: 4_096,
  claimSize: 512,
  endpointsPerClaim: 64,
};

/**
 * Returns whether this process delivers webhooks. Each process that does needs a limit of at least one delivery in
 * flight to an endpoint. If there are more processes than the service's limit per endpoint, only the first ones
 * deliver.
 */
export function mayDeliver({ index }: Siblings): boolean {
  return index < defaultDeliverySettings.maxInFlightPerEndpoint;
}

/**
 * Returns the settings of one process. The limits of all processes that deliver webhooks add up to those of the
 * service. A process that has used up its part of an endpoint's limit leaves further deliveries in the database, from
 * which the other processes claim them. An endpoint therefore gets as many concurrent requests as from a single
 * process.
 */
export function deliverySettingsOf(siblings: Siblings): DeliverySettings {
  const { maxInFlightPerEndpoint: maxProcesses } = defaultDeliverySettings;
  const delivering = { ...siblings, count: Math.min(siblings.count, maxProcesses) };
  const part = (name: keyof DeliverySettings) => shareOf(defaultDeliverySettings[name], delivering);
  return {
    ...defaultDeliverySettings,
    maxInFlight: part("maxInFlight"),
    maxInFlightPerAccount: part("maxInFlightPerAccount"),
    maxInFlightPerEndpoint: part("maxInFlightPerEndpoint"),
    maxInFlightPerFastEndpoint: part("maxInFlightPerFastEndpoint"),
    maxHeld: part("maxHeld"),
  };
}
