import type { Accounts } from "../accounts/accounts.ts";
import type { Database } from "../database/database.ts";
import type { Judge } from "../decisions/judge.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import type { PaymentMethods } from "../payment-methods/payment-methods.ts";
import type { Clock } from "../primitives/clock.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Processor } from "../processors/processor.ts";
import type { ThreeDSecureDeps } from "../three-d-secure/three-d-secure-deps.ts";
import type { ChargeKey } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";
import type { ChargeLinks } from "./charge-object.ts";
import type { Opening } from "./open-charges.sql.ts";
import type { Settlement } from "./settle-charges.sql.ts";
import type { ReadSettlingSession } from "./settling-session.ts";

/** What the operations on charges need of the world. */
export type ChargeDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Between 0 and 1; spreads retries. */
  readonly chance: () => number;
  /** This server process, so that another takes over its charges when it dies. */
  readonly processNumber: () => number;
  readonly idempotencyKeys: IdempotencyKeys;
  /** Group-committed: `openCharges` and `settleCharges` for one charge. */
  readonly openCharge: (opening: Opening) => Promise<boolean>;
  readonly settleCharge: (settlement: Settlement) => Promise<boolean>;
  /** Read together with others: `readCharges` for one charge, for what is asked often. */
  readonly readCharge: (key: ChargeKey) => Promise<Charge | null>;
  /** The acquirer for this world; null where none is configured (live mode, so far). */
  readonly processorFor: (owner: Owner) => Processor | null;
  readonly paymentMethods: PaymentMethods;
  readonly judge: Judge;
  /** Whether cards that are declined too often are held back; off where limits are. */
  readonly cardLimits: boolean;
  readonly accounts: Accounts;
  readonly threeDSecure: ThreeDSecureDeps;
  readonly readSettlingSession: ReadSettlingSession;
  readonly links: ChargeLinks;
  readonly log: ChargeLog;
};

export type ChargeLog = {
  /** A charge that no inquiry could explain: a person has to look. */
  manualReview(charge: string): void;
  inquiryFailed(charge: string, error: unknown): void;
};
