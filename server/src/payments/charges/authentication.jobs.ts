import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { advance } from "../three-d-secure/advance.ts";
import { claimDueAuthentications } from "../three-d-secure/authentication.sql.ts";
import { followAuthentication } from "./authenticate-charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";

const authenticationsAtOnce = 32;

/** Covers an authorization, which may take the acquirer's 20 s. */
const leaseMs = 45_000;

/**
 * Ends authentications past their deadline. Continues charges whose authentication ended but whose server stopped
 * before it could continue them.
 */
export function startDueAuthentications(
  deps: ChargeDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  const { database, clock } = deps;
  return startLoop({
    name: "due authentications",
    everyMs: 1_000,
    onError,
    async work() {
      const now = clock.now();
      const lease = { now, until: new Date(now.getTime() + leaseMs) };
      const due = await database.transaction((tx) =>
        claimDueAuthentications(tx, lease, authenticationsAtOnce),
      );
      await Promise.all(
        due.map(async (claimed) => {
          try {
            const ended = await advance(deps.threeDSecure, claimed, { kind: "deadline_passed" });
            await followAuthentication(deps, ended.authentication);
          } catch (error) {
            // A failure must not stop the others. The lease expires and the authentication is claimed again.
            deps.log.inquiryFailed(claimed.chargeId, error);
          }
        }),
      );
      return due.length === authenticationsAtOnce;
    },
  });
}
