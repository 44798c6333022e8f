import type { Clock } from "../../core/clock.ts";
import type { IsConnected } from "../../identity/accounts/charging.ts";
import type { Database } from "../../platform/database/database.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";

/** The dependencies of the operations on applications. */
export type UnderwritingDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyProvider;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly isConnected: IsConnected;
  readonly wakeDeliveries: () => void;
};
