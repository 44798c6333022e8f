import assert from "node:assert/strict";
import fc from "fast-check";
import { missDeadline } from "./dispute-steps.ts";
import { age, awaitAllOutcomes } from "./merchant.ts";
import { cancel, emit, fail } from "./model.ts";
import type { Step } from "./step.ts";

const hour = 3_600;
const day = 24 * hour;

/** Advances the test clock by one of these numbers of hours. No sum of a few of them equals a deadline. */
export const advanceTime: fc.Arbitrary<Step> = fc.constantFrom(5, 31, 52, 197).map((hours) => ({
  description: `advance the clock by ${hours} hours`,
  async run(model, merchant) {
    await awaitAllOutcomes(model, merchant);
    const { status, text } = await merchant.post("/test_helpers/clock/advance", {
      seconds: hours * hour,
    });
    assert.equal(status, 200, text);
    age(model, hours * hour);
    for (const decision of model.decisions) decision.expired = true;
    for (const charge of model.charges) {
      if (charge.status === "requires_action") {
        charge.outcomes = { failed: () => fail(model, charge, null) };
      }
      if (charge.status === "authorized" && charge.age >= 7 * day) {
        charge.outcomes = { canceled: () => cancel(model, charge) };
      }
    }
    for (const session of model.sessions) {
      if (session.status !== "open" || session.age < day) continue;
      session.outcomes = {
        expired: () => {
          session.status = "expired";
          emit(model, "checkout_session.expired", session.id);
        },
      };
    }
    await awaitAllOutcomes(model, merchant);
    for (const dispute of model.disputes) {
      if (dispute.status === "needs_response" && dispute.age >= 14 * day)
        missDeadline(model, dispute);
    }
    await awaitAllOutcomes(model, merchant);
  },
}));
