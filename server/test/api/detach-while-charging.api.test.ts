import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type PaymentMethodId, uuidOf } from "../../src/core/ids.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());
const { database } = shop.app;

async function saveCard(name: string): Promise<{ card: PaymentMethodId; customer: string }> {
  const customer = (await shop.post("/customers", { name: "Ada" })).body.id;
  const attached = await shop.post(`/payment_methods/${name}/attach`, { customer_id: customer });
  return { card: attached.body.id, customer };
}

const charge = (payment_method_id: string) =>
  shop.post("/charges", { amount: 500, currency: "usd", payment_method_id });

/** Holds a lock on the card's row until `release`, so that requests that change the card wait. */
async function lockCard(card: PaymentMethodId) {
  const client = await database.connect();
  await client.query("begin");
  await client.query("select from payment_methods where id = $1 for share", [uuidOf(card)]);
  return {
    /** Waits until this number of transactions wait for the row. */
    waiting: (count: number) =>
      until(
        () => countLockWaits(database),
        (found) => found >= count,
      ),
    async detach(): Promise<void> {
      await client.query(
        "update payment_methods set customer_id = null, detached_at = now() where id = $1",
        [uuidOf(card)],
      );
      await client.query("delete from vault_cards where id = $1", [uuidOf(card)]);
    },
    async release(): Promise<void> {
      await client.query("commit");
      await client.end();
    },
  };
}

test("a charge that read its card before the card was detached is rejected and inserts nothing", async () => {
  const { card } = await saveCard("pm_card_threeDSecure2Required");
  const lock = await lockCard(card);
  await lock.detach();
  // The charge reads the card as attached, because the detachment is not committed yet.
  const charged = charge(card);
  await lock.waiting(1);
  await lock.release();
  assert.deepEqual(errorOf(await charged).slice(2), [
    "payment_method_not_available",
    "payment_method_id",
  ]);
  assert.deepEqual((await shop.get(`/charges?payment_method_id=${card}`)).body.data, []);
});

for (const what of ["detached", "deleted with its customer"]) {
  test(`a card that is ${what} while it is charged is kept for the challenge`, async () => {
    const { card, customer } = await saveCard("pm_card_threeDSecure2Required");
    const lock = await lockCard(card);
    const removed =
      what === "detached"
        ? shop.post(`/payment_methods/${card}/detach`, {})
        : shop.send("DELETE", `/api/v1/customers/${customer}`, {
            headers: { authorization: `Bearer ${shop.merchant.key}` },
          });
    await lock.waiting(1);
    // The detachment waits for the lock, and the charge does not wait for the detachment.
    assert.equal((await charge(card)).body.status, "requires_action");
    await lock.release();
    assert.equal((await removed).status, 200);
    const stored = await database.read`select id from vault_cards where id = ${uuidOf(card)}`;
    assert.equal(stored.length, 1, "the card of a charge in progress is not erased");
  });
}
