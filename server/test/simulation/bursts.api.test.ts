import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Reply } from "../client.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop } from "../shop.ts";
import { dose } from "../test-size.ts";

/** Many simultaneous requests about the same money. The expected result is exact, to the smallest unit. */
const shop = await startShop({ acquirer: { responseTimeoutMs: 20_000 } });
after(() => closeChecked(shop));

const visa = { amount: 100_000, currency: "usd", payment_method_id: "pm_card_visa" };
const fee = 2_930;

type Merchant = { readonly as: Awaited<ReturnType<typeof shop.createMerchant>>["key"] };
const merchant = async (): Promise<Merchant> => ({ as: (await shop.createMerchant()).key });
const pay = async (sent: Merchant, params: object = {}): Promise<string> =>
  (await shop.post("/charges", { ...visa, ...params }, sent)).body.id;
const read = async (sent: Merchant, path: string) => (await shop.get(path, sent)).body;

/** Returns the merchant's balance, available and pending. */
async function balanceOf(sent: Merchant): Promise<number> {
  const { available, pending } = await read(sent, "/balance");
  return (available[0]?.amount ?? 0) + (pending[0]?.amount ?? 0);
}

function concurrent(count: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
}

/** Counts the responses by error code, or by status if they are successful. */
function countResponses(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const kind = body?.error?.code ?? `${status}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function expectOneResponse(replies: readonly Reply[]): void {
  assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1);
}

/** The short dose sends 64 at once, the long one also 200 and 500. */
const burstSize = dose("burst-size", { short: 64, long: 500 });

for (const count of [64, 200, 500].filter((count) => count === 64 || count <= burstSize)) {
  describe(`${count} concurrent requests`, () => {
    test("concurrent requests with one key create one charge and return one response", async () => {
      const sent = await merchant();
      const replies = await concurrent(count, () =>
        shop.post("/charges", visa, { ...sent, key: "one charge" }),
      );
      expectOneResponse(replies);
      assert.equal((await read(sent, "/charges?limit=100")).data.length, 1);
      assert.equal(await balanceOf(sent), visa.amount - fee);
    });

    test("charges without a key are all created, and their sum is exact", async () => {
      const sent = await merchant();
      const replies = await concurrent(count, () => shop.post("/charges", visa, sent));
      assert.deepEqual(countResponses(replies), { 201: count });
      assert.equal(await balanceOf(sent), count * (visa.amount - fee));
    });

    test("concurrent captures of one authorization capture it once", async () => {
      const sent = await merchant();
      const id = await pay(sent, { capture_method: "manual" });
      const replies = await concurrent(count, (index) =>
        shop.post(`/charges/${id}/capture`, { amount: 60_000 + index }, sent),
      );
      const done = replies.filter(({ status }) => status === 200);
      assert.equal(done.length, 1);
      const { amount_captured } = await read(sent, `/charges/${id}`);
      assert.equal(amount_captured, done[0]?.body.amount_captured);
      const due = amount_captured - Math.floor((amount_captured * 290 + 5_000) / 10_000) - 30;
      assert.equal(await balanceOf(sent), due);
    });

    test("concurrent captures and cancels of one authorization have one outcome", async () => {
      const sent = await merchant();
      const id = await pay(sent, { capture_method: "manual" });
      const replies = await concurrent(count, (index) =>
        shop.post(`/charges/${id}/${index % 2 ? "capture" : "cancel"}`, {}, sent),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      const { status } = await read(sent, `/charges/${id}`);
      assert.equal(await balanceOf(sent), status === "succeeded" ? visa.amount - fee : 0);
    });

    test("concurrent refunds never exceed the captured amount", async () => {
      const sent = await merchant();
      const charge_id = await pay(sent);
      // About half of the requested refunds fit, and the charge is not a multiple of their amount.
      const amount = Math.ceil((2 * visa.amount) / count) + 1;
      const fits = Math.floor(visa.amount / amount);
      const replies = await concurrent(count, () =>
        shop.post("/refunds", { charge_id, amount }, sent),
      );
      assert.deepEqual(countResponses(replies), {
        201: fits,
        refund_amount_exceeds_captured: count - fits,
      });
      const charge = await read(sent, `/charges/${charge_id}`);
      assert.equal(charge.amount_refunded, fits * amount);
      assert.equal(await balanceOf(sent), visa.amount - fee - fits * amount);
    });

    test("concurrent requests with one key create one refund and return one response", async () => {
      const sent = await merchant();
      const body = { charge_id: await pay(sent), amount: 1_000 };
      expectOneResponse(
        await concurrent(count, () => shop.post("/refunds", body, { ...sent, key: "one refund" })),
      );
      assert.equal((await read(sent, "/refunds?limit=100")).data.length, 1);
      assert.equal(await balanceOf(sent), visa.amount - fee - 1_000);
    });

    test("concurrent payouts never exceed the available balance", async () => {
      const sent = await merchant();
      await pay(sent);
      await shop.post("/test_helpers/clock/advance", { seconds: 3 * 86_400 }, sent);
      const amount = Math.ceil((2 * visa.amount) / count) + 1;
      const fits = Math.floor((visa.amount - fee) / amount);
      const replies = await concurrent(count, () =>
        shop.post("/payouts", { amount, currency: "usd" }, sent),
      );
      assert.deepEqual(countResponses(replies), {
        201: fits,
        balance_insufficient: count - fits,
      });
      assert.equal(await balanceOf(sent), visa.amount - fee - fits * amount);
    });
  });
}
