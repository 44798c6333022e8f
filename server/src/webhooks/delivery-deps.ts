import type { Database } from "../database/database.ts";
import type { Clock } from "../primitives/clock.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import type { LogEntry } from "./delivery.ts";
import type { ResolveName } from "./resolve-name.ts";

/** What the delivery worker needs of the world. */
export type DeliveryDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Between 0 and 1; spreads retries. */
  readonly chance: () => number;
  /** This server process, so that another takes over its deliveries when it dies. */
  readonly processNumber: () => number;
  /** Opens the endpoints' signing secrets. */
  readonly keys: KeyProvider;
  /** In test mode, which networks webhooks may go to beside the public internet (contract §6). */
  readonly privateNetworks: readonly string[];
  readonly resolveName: ResolveName;
  readonly settings?: Partial<DeliverySettings>;
  readonly log: DeliveryLog;
  /** Told of every attempt, with what came of it. */
  readonly onAttempt?: (entry: LogEntry) => void;
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
  /** What nothing announced, such as a retry that has come due, is found after this long. */
  readonly pollMs: number;
  readonly mostInFlight: number;
  readonly mostInFlightPerAccount: number;
  readonly mostInFlightPerEndpoint: number;
  readonly mostInFlightPerQuickEndpoint: number;
  /** Deliveries in memory: claimed, in flight, or answered and not yet recorded. */
  readonly mostHeld: number;
  readonly claimSize: number;
  readonly endpointsPerClaim: number;
};

/** What is in flight counts for each process; docs/decisions/0011-sending-webhooks.md. */
export const defaultDeliverySettings: DeliverySettings = {
  deadlineMs: 20_000,
  leaseMs: 60_000,
  pollMs: 500,
  mostInFlight: 512,
  mostInFlightPerAccount: 32,
  mostInFlightPerEndpoint: 8,
  mostInFlightPerQuickEndpoint: 32,
  mostHeld: 4_096,
  claimSize: 512,
  endpointsPerClaim: 64,
};
