import type { Acquirers } from "../../acquiring/acquirers.ts";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type { PaymentMethods } from "../../cards/payment-methods/payment-methods.ts";
import type { Clock } from "../../core/clock.ts";
import type { AttemptId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { RiskEngine } from "../../risk/risk-engine.ts";
import type { BatchedCommits } from "../commit/batched-commits.ts";
import type { Links } from "../sessions/client-urls.ts";
import type { BatchedReads } from "./batched-reads.ts";
import type { RecordedOutcomes } from "./recorded-outcomes.ts";

/** The dependencies of the operations on charges. */
export type ChargeDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Returns a random number between 0 and 1 for the jitter of retries. */
  readonly random: () => number;
  /**
   * Returns the number of this server process. After a crash, another process uses it to take over the charges of this
   * one.
   */
  readonly processNumber: () => number;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly commits: Pick<BatchedCommits, "insertCharge" | "commitCharge">;
  readonly reads: Pick<BatchedReads, "readCharge">;
  /** The outcomes that this process is recording or has recorded most recently. Changed by `recordAuthorization`. */
  readonly recordedOutcomes: RecordedOutcomes;
  readonly acquirers: Acquirers;
  readonly paymentMethods: PaymentMethods;
  readonly riskEngine: RiskEngine;
  /** True if cards with too many declines are blocked. */
  readonly cardLimits: boolean;
  readonly accounts: Accounts;
  readonly links: Links;
  /** Returns the URL to which an acquirer's page returns the cardholder. It contains a secret. */
  readonly returnUrlOf: (scope: Scope, id: AttemptId) => string;
  readonly log: ChargeLog;
};

export type ChargeLog = {
  /** Logs that the inquiry schedule of a charge ended without an outcome, so that it needs manual review. */
  manualReview(charge: string): void;
  inquiryFailed(charge: string, error: unknown): void;
  /** Logs that a charge is sent over another connection, because the acquirer has not processed or has declined it. */
  failedOver(charge: string, outcome: AuthorizationOutcome): void;
};
