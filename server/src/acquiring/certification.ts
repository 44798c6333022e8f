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
  /** A notification did not arrive in time. The acquirer may not reach the service. */
  | "not_seen"
  /** The merchant account does not offer the function. */
  | "skipped";

export type Finding = Pick<CertificationCheck, "status" | "found">;

/** Returns whether the connector is certified: every check has passed, except those that do not apply. */
export function isCertified(checks: readonly CertificationCheck[]): boolean {
  return checks.every(({ status }) => status === "passed" || status === "skipped");
}
