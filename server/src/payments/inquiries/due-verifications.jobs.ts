import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { claimDueVerifications } from "../card-verifications/card-verification.sql.ts";
import {
  failVerification,
  type PendingVerification,
} from "../card-verifications/card-verification.ts";
import { recordVerification } from "../card-verifications/record-verification.ts";
import { processingError } from "../charges/apply-response.ts";
import { timeOutAuthentication } from "../three-d-secure/authenticate-charge.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";

const batchSize = 32;

/** The lease of a claimed verification. Covers a card verification at the acquirer, which can take 20 s. */
const leaseMs = 45_000;

/**
 * Starts the job that ends card verifications whose process has died, and authentications past their deadline. A
 * verification whose request may have been sent fails: it moved no money, and the customer can try again.
 */
export function startDueVerifications(deps: AuthenticationDeps, background: Background): Loop {
  return startDueWork({
    name: "due card verifications",
    everyMs: 1_000,
    batchSize,
    take: (limit) => claimDueVerifications(deps, { leaseMs, limit }),
    handle: (verification) => finish(deps, verification),
    onFailure: ({ id }, error) => deps.log.inquiryFailed(id, error),
    background,
  });
}

async function finish(deps: AuthenticationDeps, verification: PendingVerification): Promise<void> {
  if (verification.status === "requires_action") return timeOutAuthentication(deps, verification);
  await recordVerification(deps, verification, (current, now) =>
    failVerification(current, processingError, now),
  );
}
