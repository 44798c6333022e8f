import type { Database } from "../database/database.ts";
import type { Clock } from "../primitives/clock.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/** What the delivery worker needs of the world. */
export type DeliveryDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Between 0 and 1; spreads retries. */
  readonly chance: () => number;
  /** Opens the endpoints' signing secrets. */
  readonly keys: KeyProvider;
  /** In test mode, whether webhooks may go to private and loopback addresses (contract §6). */
  readonly allowPrivateAddresses: boolean;
  readonly settings?: Partial<DeliverySettings>;
  readonly log: DeliveryLog;
};

export type DeliveryLog = {
  /** Something of ours went wrong; it is tried again. */
  workFailed(what: string, error: unknown): void;
  /** An endpoint answered 410, or failed for five days, and was switched off. */
  endpointDisabled(endpoint: string, reason: string): void;
};

export type DeliverySettings = {
  /** Over everything: connecting, sending and the whole answer (contract §6). */
  readonly deadlineMs: number;
  /** How long a claimed delivery is this process's own. It must hold the wait in a lane and one deadline. */
  readonly leaseMs: number;
  /** What `wake` did not announce is found after this long. */
  readonly pollMs: number;
  readonly mostInFlight: number;
  /** What an endpoint that always answers may have in flight; it begins with `firstWindow`. */
  readonly mostInFlightPerEndpoint: number;
  readonly firstWindow: number;
  /** Deliveries in memory: claimed, in flight, or answered and not yet recorded. */
  readonly mostHeld: number;
  readonly claimSize: number;
  readonly endpointsPerClaim: number;
};

export const defaultDeliverySettings: DeliverySettings = {
  deadlineMs: 20_000,
  leaseMs: 60_000,
  pollMs: 500,
  mostInFlight: 256,
  mostInFlightPerEndpoint: 64,
  firstWindow: 8,
  mostHeld: 4_096,
  claimSize: 512,
  endpointsPerClaim: 64,
};
