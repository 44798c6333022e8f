import { AdvanceTestClock, TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { sealAnew } from "../balance/seal.sql.ts";
import type { Tx } from "../database/sql.ts";
import { type Answer, ok, type Route, route } from "../http/route.ts";
import type { PayoutDeps } from "../payouts/payout.jobs.ts";
import { inTurn } from "../primitives/in-turn.ts";
import { requireTestMode } from "../primitives/test-mode.ts";
import { letTimePass, letTimePassOutside } from "./test-clock.sql.ts";

/** Waiting for days is no way to try things out. */
export function testClockRoutes({ idempotencyKeys }: PayoutDeps): Route[] {
  const onItsClock = inTurn();
  return [
    route({
      method: "POST",
      path: "/test_helpers/clock/advance",
      summary: "Let time pass",
      permission: "test_helpers:write",
      body: AdvanceTestClock,
      answer: TestClockAdvanced,
      status: 200,
      async handle({ owner, body, idempotency }) {
        requireTestMode(owner);
        const advance = async (tx: Tx): Promise<Answer> => {
          await letTimePass(tx, owner.account, body.seconds);
          await letTimePassOutside(tx, owner.account, body.seconds);
          // Last, for nobody's sums are made while it is under way.
          await sealAnew(tx, owner.account);
          return ok({ object: "test_clock", livemode: false, advanced_by: body.seconds });
        };
        return onItsClock(owner.account, () => idempotencyKeys.once(owner, idempotency, advance));
      },
    }),
  ];
}
