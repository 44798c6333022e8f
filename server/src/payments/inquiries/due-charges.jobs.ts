import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { claimDueCharges } from "../charges/charge.sql.ts";
import type { PendingCharge } from "../charges/charge.ts";
import { timeOutAuthentication } from "../three-d-secure/authenticate-charge.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";
import { inquireCharge } from "./inquire-charge.ts";

/** The number of concurrent inquiries. Each spends most of its time waiting for the acquirer. */
const inquiryBatchSize = 32;

/** The lease of a claimed charge. Covers an inquiry and a reversal of 20 s each, and the commit. */
const inquiryLeaseMs = 60_000;

/**
 * Starts the job that sends status inquiries for charges with an unknown outcome and ends challenges past their
 * deadline.
 */
export function startDueCharges(deps: AuthenticationDeps, background: Background): Loop {
  return startDueWork({
    name: "due charges",
    everyMs: 1_000,
    batchSize: inquiryBatchSize,
    take: (limit) =>
      claimDueCharges(deps, deps.processNumber(), { leaseMs: inquiryLeaseMs, limit }),
    handle: (charge) => finish(deps, charge),
    onFailure: (charge, error) => deps.log.inquiryFailed(charge.id, error),
    background,
  });
}

function finish(deps: AuthenticationDeps, charge: PendingCharge): Promise<void> {
  return charge.status === "processing"
    ? inquireCharge(deps, charge)
    : timeOutAuthentication(deps, charge);
}
