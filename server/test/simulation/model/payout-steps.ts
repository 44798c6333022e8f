import assert from "node:assert/strict";
import fc from "fast-check";
import { awaitAllOutcomes, expectRejection } from "./merchant.ts";
import { emit, type Model } from "./model.ts";
import type { Step } from "./step.ts";

const settlementSeconds = 2 * 86_400;

/** Returns the balance. Payments within the settlement delay are pending. All other amounts are available. */
export function balanceOf({ charges, movements }: Model): { available: number; pending: number } {
  const unsettled = new Set(
    charges
      .filter(({ status, age }) => status === "succeeded" && age < settlementSeconds)
      .map(({ id }) => id),
  );
  const sum = (some: Model["movements"]) => some.reduce((total, { net }) => total + net, 0);
  const isPending = ({ what }: Model["movements"][0]) => unsettled.has(what);
  return {
    available: sum(movements.filter((movement) => !isPending(movement))),
    pending: sum(movements.filter(isPending)),
  };
}

/** The minimum payout in US cents. */
const minPayout = 50;

export const createPayout: fc.Arbitrary<Step> = fc
  .record({ tooMuch: fc.boolean(), fails: fc.boolean() })
  .map(({ tooMuch, fails }) => ({
    description: `pay out ${tooMuch ? "more than " : ""}the available balance${fails ? ", and the payout fails" : ""}`,
    can: ({ movements }) => movements.length > 0,
    async run(model, merchant) {
      // Operations in progress may change the balance.
      await awaitAllOutcomes(model, merchant);
      const { available } = balanceOf(model);
      const amount = tooMuch ? Math.max(minPayout, available + 1) : Math.max(1, available);
      const reply = await merchant.post("/payouts", { amount, currency: "usd" });
      if (amount < minPayout) return expectRejection(reply, "amount_too_small");
      if (amount > available) return expectRejection(reply, "balance_insufficient");
      assert.deepEqual([reply.status, reply.body.status], [201, "pending"], reply.text);
      const { id } = reply.body;
      model.movements.push({ what: id, net: -amount });
      const payout: Model["payouts"][0] = { id, amount, status: "pending", outcomes: null };
      model.payouts.push(payout);
      const arrived = (): void => {
        payout.status = "paid";
        emit(model, "payout.paid", id);
      };
      if (fails && !merchant.environment.hasInterruptions) {
        payout.outcomes = { in_transit: () => undefined };
        await merchant.awaitOutcome(payout, model);
        const path = `/test_helpers/payouts/${id}/fail`;
        const failed = await merchant.post(path, {}, "unstored");
        // The payout may have been paid before the test helper could fail it.
        if (failed.status === 200) {
          payout.status = "failed";
          model.movements.push({ what: `${id} was returned`, net: amount });
          emit(model, "payout.failed", id);
          return;
        }
        expectRejection(failed, "status_transition_invalid");
      }
      payout.outcomes = { paid: arrived };
    },
  }));
