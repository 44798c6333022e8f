import { AdvanceTestClock, TestClockAdvanced } from "@florin/contract/test-clock.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import { createMerchantConcurrency } from "../../platform/http/merchant-concurrency.ts";
import { type Route, route } from "../../platform/http/route.ts";
import type { PayoutDeps } from "../payouts/payout.jobs.ts";
import { advanceClock } from "./advance-clock.ts";

/**
 * Serves the endpoint that advances the test clock, so that merchants can test time-dependent behavior without waiting.
 */
export function testClockRoutes(deps: PayoutDeps): Route[] {
  // The number of waiting requests is limited, because an advance can take minutes. An advance runs even if its client
  // has disconnected.
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
        return onItsClock(scope.account, () =>
          advanceClock(deps, scope, body.seconds, idempotency),
        );
      },
    }),
  ];
}
