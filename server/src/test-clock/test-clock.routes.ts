import { AdvanceTestClock, TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { sealAnew } from "../balance/seal.sql.ts";
import { ok, type Route, route } from "../http/route.ts";
import type { PayoutDeps } from "../payouts/payout.jobs.ts";
import { requireTestMode } from "../primitives/test-mode.ts";
import { letTimePass, letTimePassOutside } from "./test-clock.sql.ts";

/** Waiting for days is no way to try things out. */
export function testClockRoutes({ idempotencyKeys }: PayoutDeps): Route[] {
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
        return idempotencyKeys.once(owner, idempotency, async (tx) => {
          await letTimePass(tx, owner.account, body.seconds);
          await sealAnew(tx, owner.account);
          await letTimePassOutside(tx, owner.account, body.seconds);
          return ok({ object: "test_clock", livemode: false, advanced_by: body.seconds });
        });
      },
    }),
  ];
}
