import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startShop, until } from "../shop.ts";
import { second } from "../test-clock.ts";

const reversals: Promise<unknown>[] = [];
const shop = await startShop({
  // The requests to the acquirer may take long, so that the leases of the charges expire while they are in progress.
  acquirer: { responseTimeoutMs: 4_000 },
  wrapSimulator: (simulator) => ({
    ...simulator,
    reverse(request) {
      const reversal = sleep(300).then(() => simulator.reverse(request));
      reversals.push(reversal);
      return reversal;
    },
  }),
});
after(() => shop.close());

test("a charge is not recorded as paid by an approval that an inquiry is about to reverse", async () => {
  // Each request reaches the acquirer just after an inquiry returned "not found", and just before the reversal.
  shop.simulator.injectFaults({ on: ["authorize"], arriveAfterNotFound: true });

  const requested = Array.from({ length: 5 }, (_, index) =>
    shop.post(
      "/charges",
      { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" },
      { key: `reversed ${index}` },
    ),
  );
  await until(readCharges, (rows) => rows.length === 5);
  // Simulates a clock that jumps forward, or a process that was suspended.
  shop.clock.advance(31 * second);
  const responses = await Promise.all(requested);

  await until(readCharges, (rows) => rows.every(({ status }) => status !== "processing"));
  assert.ok(reversals.length > 0);
  await Promise.all(reversals);
  // Both outcomes are valid, but service and acquirer must agree: succeeded and approved, or failed and reversed.
  for (const { status, state } of await readCharges()) {
    assert.equal(state, status === "succeeded" ? "approved" : "reversed");
  }
  // A repeated request returns the first response.
  for (const [index, { status, body }] of responses.entries()) {
    const again = await shop.post(
      "/charges",
      { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" },
      { key: `reversed ${index}` },
    );
    assert.deepEqual([again.status, again.body], [status, body]);
  }
});

/** Returns each charge's status in the service and its state at the acquirer. */
function readCharges() {
  return shop.app.database.read<{ status: string; state: string | null }>`
    select c.status, a.state
      from charges c
      left join simulator.authorizations a on a.reference = c.id
  `;
}
