import type { IsConnected } from "../accounts/charging.ts";
import type { Database } from "../database/database.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import type { Clock } from "../primitives/clock.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/** The dependencies of the operations on applications. */
export type UnderwritingDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyProvider;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly isConnected: IsConnected;
  readonly wakeDeliveries: () => void;
};
