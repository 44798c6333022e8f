import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Clock } from "../core/clock.ts";
import type { Assignment } from "./connections/assignment.ts";
import type { TestResult } from "./connections/connection.ts";
import type { Processor } from "./processor.ts";
import type { StoredItem } from "./verified-notification.ts";

/** One check of `florin certify`, which compares a connector with its acquirer's sandbox. */
export type CertificationCheck = {
  readonly name: string;
  readonly title: string;
  readonly status: CheckStatus;
  /** The finding, and after a failure the likely cause. It contains no secret and no card number. */
  readonly found: string;
};

export type CheckStatus =
  | "passed"
  | "failed"
  /** A notification did not arrive in time. The acquirer may be unable to reach the service. */
  | "not_seen"
  /** The merchant account does not support what the check tests. */
  | "skipped";

export type Finding = Pick<CertificationCheck, "status" | "found">;

/** Returns whether the connector is certified. Every check must have passed, except checks that do not apply. */
export function isCertified(checks: readonly CertificationCheck[]): boolean {
  return checks.every(({ status }) => status === "passed" || status === "skipped");
}

/** A run of the checks of `florin certify`. */
export type CertificationRun = {
  /** A processor with the connection's credentials. */
  readonly processor: Processor;
  /**
   * The merchant account at the acquirer, and the ID of the Florin account in the test payments. No Florin account has
   * this ID.
   */
  readonly assignment: Pick<Assignment, "account" | "merchantAccount">;
  /** The wallets whose tokens the acquirer decrypts with the connection's settings. */
  readonly gatewayWallets: ReadonlySet<DigitalWallet>;
  readonly testConnection: () => Promise<TestResult>;
  /** Returns the stored notifications about these references. Their signatures were verified. */
  readonly readItems: (references: readonly string[]) => Promise<readonly StoredItem[]>;
  readonly clock: Clock;
  /** The time to wait for notifications after the last request. */
  readonly waitMs: number;
  /** The page to which a cardholder returns. */
  readonly returnUrl: string;
  readonly onCheck: (check: CertificationCheck) => void;
};
