import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";

const shop = await startShop({ acquirer: { responseTimeoutMs: 20_000 } });
after(() => closeChecked(shop));

const evidence = { uncategorized_text: "It was delivered." };

async function createDispute(as = shop.merchant.key): Promise<`dp_${string}`> {
  const price = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const charge = (await shop.post("/charges", price, { as })).body.id;
  return (await shop.post("/test_helpers/disputes", { charge_id: charge }, { as })).body.id;
}

/**
 * Returns the time at which a response to the network is due (null if none is due) and the state of the network's case.
 */
async function responseStateOf(id: `dp_${string}`) {
  const [row] = await shop.app.database.read<{ due: Date | null; state: string }>`
    select d.response_due_at as due, c.state
      from disputes d
      join simulator.cases c on c.id = d.network_case
     where d.id = ${uuidOf(id)}`;
  return row as { due: Date | null; state: string };
}

async function accept(id: `dp_${string}`): Promise<void> {
  await requestAcceptance(id);
  await acceptanceReceived(id);
}

async function requestAcceptance(id: `dp_${string}`): Promise<void> {
  assert.equal((await shop.post(`/disputes/${id}/accept`, {})).body.status, "lost");
}

/** Waits until no response to the network is due, and asserts that the network has received the acceptance. */
async function acceptanceReceived(id: `dp_${string}`): Promise<void> {
  const { state } = await until(
    () => responseStateOf(id),
    ({ due }) => due === null,
  );
  assert.equal(state, "lost", "the network did not receive the acceptance");
}

test("the acceptance of a dispute reaches the network even after evidence was sent", async () => {
  const id = await createDispute();
  await shop.post(`/disputes/${id}/evidence`, evidence);
  await until(
    () => responseStateOf(id),
    ({ due }) => due === null,
  );
  await accept(id);
});

test("the acceptance of a dispute reaches the network even while evidence is being sent", async () => {
  const id = await createDispute();
  await shop.app.database.transaction(async (tx) => {
    // The network waits for the lock of its case before it stores the evidence.
    await tx`
      select from simulator.cases
       where id = (select network_case from disputes where id = ${uuidOf(id)}) for update`;
    await shop.post(`/disputes/${id}/evidence`, evidence);
    // Waits until a worker holds the lease for sending the evidence.
    await until(
      () => responseStateOf(id),
      ({ due }) => due !== null && due > shop.clock.now(),
    );
    await requestAcceptance(id);
  });
  await acceptanceReceived(id);
});

test("accepting a dispute does not wait for another merchant's slow evidence", async () => {
  const slow = await shop.createMerchant();
  const evidenceOf = await createDispute(slow.key);
  const accepted = await createDispute();
  const delayMs = slowed(10_000);
  shop.simulator.injectFaults({ delayMs, on: ["dispute"] }, slow.account);
  await shop.post(`/disputes/${evidenceOf}/evidence`, evidence, { as: slow.key });
  await until(
    () => responseStateOf(evidenceOf),
    ({ due }) => due !== null && due > shop.clock.now(),
  );
  const startedAt = performance.now();
  await accept(accepted);
  assert.ok(
    performance.now() - startedAt < 0.8 * delayMs,
    "the acceptance waited for the other merchant's evidence",
  );
});
