import type { Acquirers } from "../../acquiring/acquirers.ts";
import type { Clock } from "../../core/clock.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { Links } from "../sessions/client-urls.ts";

/** The dependencies of operations on charges. */
export type OperationDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Returns a random number between 0 and 1 for the jitter of retries. */
  readonly random: () => number;
  readonly processNumber: () => number;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly acquirers: Acquirers;
  readonly accounts: Accounts;
  readonly links: Links;
  readonly wakeDeliveries: () => void;
  readonly log: {
    manualReview(operation: string): void;
    inquiryFailed(operation: string, error: unknown): void;
  };
};
