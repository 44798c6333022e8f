import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ChargeId } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import { startShop, until } from "../shop.ts";
import { day, hour } from "../test-clock.ts";

// Like most acquirers, the simulator stores the reference of a request for one day. If the request is repeated within
// that time, the simulator executes it only once.
const shop = await startShop({ acquirer: { replaySafeForMs: day } });
after(() => shop.close());

/** Requests a refund with this fault, and returns its charge. */
async function refundWith(fault: "dropBefore" | "dropAfter"): Promise<ChargeId> {
  const body = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const { id } = (await shop.post("/charges", body)).body;
  shop.simulator.injectFaults({ on: ["refund"], [fault]: true });
  const refund = await shop.post("/refunds", { charge_id: id, amount: 900 });
  assert.deepEqual([refund.status, refund.body.status], [201, "pending"]);
  shop.simulator.injectFaults({});
  return id;
}

const refundOf = async (charge: ChargeId) =>
  (await shop.get(`/refunds?charge_id=${charge}`)).body.data[0];

test("a refund that the acquirer did not receive is sent again within its replay window", async () => {
  const charge = await refundWith("dropBefore");
  shop.clock.advance(22 * hour);
  await until(
    () => refundOf(charge),
    ({ status }) => status === "succeeded",
  );
  assert.equal((await operationsAtAcquirer(shop, charge)).length, 1);
});

test("a refund whose response was lost is never paid twice, even after its reference has expired at the acquirer", async () => {
  const charge = await refundWith("dropAfter");
  shop.clock.advance(25 * hour);
  let refund = await refundOf(charge);
  while (refund.pending_reason === "outcome_unknown") {
    await shop.timers.turn();
    shop.clock.advance(2 * hour);
    refund = await refundOf(charge);
  }
  assert.deepEqual([refund.status, refund.pending_reason], ["pending", "manual_review"]);
  assert.deepEqual(await operationsAtAcquirer(shop, charge), [
    { kind: "refund", state: "done", amount: 900 },
  ]);
});
