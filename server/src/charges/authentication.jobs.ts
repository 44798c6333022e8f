import { type Loop, startLoop } from "../jobs/loop.ts";
import { advance } from "../three-d-secure/advance.ts";
import { claimDueAuthentications } from "../three-d-secure/authentication.sql.ts";
import { followAuthentication } from "./authenticate-charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";

const authenticationsAtOnce = 32;

/** Authorising may take the acquirer's 20 s; whoever claimed one is done with it by then. */
const leaseMs = 45_000;

/**
 * Ends every authentication that nobody went on with, and goes on with every charge whose authentication has ended
 * and whose server died before it could.
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
            // One's trouble is not the others': its lease runs out and it comes due again.
            deps.log.inquiryFailed(claimed.chargeId, error);
          }
        }),
      );
      return due.length === authenticationsAtOnce;
    },
  });
}
