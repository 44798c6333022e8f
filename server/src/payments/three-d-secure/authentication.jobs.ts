import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { advance } from "./advance-authentication.ts";
import { followAuthentication } from "./authenticate-charge.ts";
import { claimDueAuthentications } from "./authentication.sql.ts";
import type { Authentication } from "./authentication.ts";
import type { AuthenticationDeps } from "./three-d-secure-deps.ts";

const authenticationBatchSize = 32;

/** The lease of a claimed authentication. Covers an authorization, which can take the acquirer timeout of 20 s. */
const leaseMs = 45_000;

/**
 * Starts the job that ends authentications past their deadline. The job also continues the charge of an ended
 * authentication if the server crashed before it continued the charge.
 */
export function startDueAuthentications(deps: AuthenticationDeps, background: Background): Loop {
  return startDueWork({
    name: "due authentications",
    everyMs: 1_000,
    batchSize: authenticationBatchSize,
    take: (limit) => claimDueAuthentications(deps, { leaseMs, limit }),
    handle: (authentication) => finish(deps, authentication),
    onFailure: ({ attemptId }, error) => deps.log.inquiryFailed(attemptId, error),
    background,
  });
}

async function finish(deps: AuthenticationDeps, claimed: Authentication): Promise<void> {
  const ended = await advance(deps.threeDSecure, claimed, { kind: "deadline_passed" });
  await followAuthentication(deps, ended.authentication);
}
