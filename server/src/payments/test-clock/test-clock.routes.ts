import { AdvanceTestClock, TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { createMerchantConcurrency } from "../../platform/http/merchant-concurrency.ts";
import { type ApiResponse, ok, type Route, route } from "../../platform/http/route.ts";
import { rebuildCheckpoints } from "../balance/checkpoint.sql.ts";
import { advancePaid, advanceWaiting } from "../commit/test-clock.sql.ts";
import { type PayoutDeps, payOutSchedule } from "../payouts/payout.jobs.ts";
import { lockPayouts } from "../payouts/payout.sql.ts";
import { advanceSessions, advanceSimulator } from "./test-clock.sql.ts";

/**
 * Serves the endpoint that advances the test clock, so that merchants can test time-dependent behavior without waiting.
 */
export function testClockRoutes(deps: PayoutDeps): Route[] {
  const { idempotencyKeys } = deps;
  // The number of waiting requests is limited, because an advance can take seconds. It runs even if its client has
  // disconnected.
  const onItsClock = createMerchantConcurrency({ maxRunning: 1, maxWaiting: 20 });
  return [
    route({
      method: "POST",
      path: "/test_helpers/clock/advance",
      summary: "Advance the test clock",
      permission: "test_helpers:write",
      body: AdvanceTestClock,
      response: TestClockAdvanced,
      status: 200,
      async handle({ scope, body, idempotency }) {
        assertTestMode(scope);
        const advance = async (tx: Tx): Promise<ApiResponse> => {
          // A payout contains the payments of a period. A payout that is created in the meantime would keep its period
          // although its payments move.
          await lockPayouts(tx, scope);
          await advancePaid(tx, scope.account, body.seconds);
          await rebuildCheckpoints(tx, scope.account);
          // These updates run last, because concurrent transactions that write to the same rows wait from here until
          // the transaction ends.
          await advanceWaiting(tx, scope.account, body.seconds);
          await advanceSessions(tx, scope.account, body.seconds);
          await advanceSimulator(tx, scope.account, body.seconds);
          return ok({ object: "test_clock", livemode: false, advanced_by: body.seconds });
        };
        return onItsClock(scope.account, async () => {
          const response = await idempotencyKeys.runLongTransaction(scope, idempotency, advance);
          // The job of the schedule tries each merchant once a minute, which the test clock does not shorten. An error is
          // ignored, because the clock has already advanced, and the job tries again.
          await payOutSchedule(deps, scope).catch(() => undefined);
          return response;
        });
      },
    }),
  ];
}
