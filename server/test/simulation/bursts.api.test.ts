import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Reply } from "../client.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop } from "../shop.ts";
import { dose } from "../test-size.ts";

/** Sends many simultaneous requests for the same money. The resulting balance must be exact to the cent. */
const shop = await startShop({ acquirer: { responseTimeoutMs: 20_000 } });
after(() => closeChecked(shop));

const visa = { amount: 100_000, currency: "usd", payment_method_id: "pm_card_visa" };
const fee = 2_930;

type Merchant = { readonly as: Awaited<ReturnType<typeof shop.createMerchant>>["key"] };
const createMerchant = async (): Promise<Merchant> => ({ as: (await shop.createMerchant()).key });
const pay = async (merchant: Merchant, params: object = {}): Promise<string> =>
  (await shop.post("/charges", { ...visa, ...params }, merchant)).body.id;
const read = async (merchant: Merchant, path: string) => (await shop.get(path, merchant)).body;

/** Returns the sum of the merchant's available and pending balance. */
async function balanceOf(merchant: Merchant): Promise<number> {
  const { available, pending } = await read(merchant, "/balance");
  return (available[0]?.amount ?? 0) + (pending[0]?.amount ?? 0);
}

function concurrent(count: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
}

/** Counts the error responses by code, and the others by status. */
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

/** The maximum burst. The short dose sends 64 simultaneous requests. The long dose also sends 200 and 500. */
const burstSize = dose("burst-size", { short: 64, long: 500 });

for (const count of [64, 200, 500].filter((count) => count === 64 || count <= burstSize)) {
  describe(`${count} concurrent requests`, () => {
    test("concurrent requests with one key create one charge and return one response", async () => {
      const merchant = await createMerchant();
      const replies = await concurrent(count, () =>
        shop.post("/charges", visa, { ...merchant, key: "one charge" }),
      );
      expectOneResponse(replies);
      assert.equal((await read(merchant, "/charges?limit=100")).data.length, 1);
      assert.equal(await balanceOf(merchant), visa.amount - fee);
    });

    test("concurrent requests without a key create a charge each, and the balance is their exact sum", async () => {
      const merchant = await createMerchant();
      const replies = await concurrent(count, () => shop.post("/charges", visa, merchant));
      assert.deepEqual(countResponses(replies), { 201: count });
      assert.equal(await balanceOf(merchant), count * (visa.amount - fee));
    });

    test("concurrent captures of one authorization capture it once", async () => {
      const merchant = await createMerchant();
      const id = await pay(merchant, { capture_method: "manual" });
      const replies = await concurrent(count, (index) =>
        shop.post(`/charges/${id}/capture`, { amount: 60_000 + index }, merchant),
      );
      const done = replies.filter(({ status }) => status === 200);
      assert.equal(done.length, 1);
      const { amount_captured } = await read(merchant, `/charges/${id}`);
      assert.equal(amount_captured, done[0]?.body.amount_captured);
      const due = amount_captured - Math.floor((amount_captured * 290 + 5_000) / 10_000) - 30;
      assert.equal(await balanceOf(merchant), due);
    });

    test("concurrent captures and cancels of one authorization have one outcome", async () => {
      const merchant = await createMerchant();
      const id = await pay(merchant, { capture_method: "manual" });
      const replies = await concurrent(count, (index) =>
        shop.post(`/charges/${id}/${index % 2 ? "capture" : "cancel"}`, {}, merchant),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      const { status } = await read(merchant, `/charges/${id}`);
      assert.equal(await balanceOf(merchant), status === "succeeded" ? visa.amount - fee : 0);
    });

    test("concurrent refunds never exceed the captured amount", async () => {
      const merchant = await createMerchant();
      const charge_id = await pay(merchant);
      // The amount of the charge is about half of the requested refunds, and is not a multiple of the refund amount.
      const amount = Math.ceil((2 * visa.amount) / count) + 1;
      const fits = Math.floor(visa.amount / amount);
      const replies = await concurrent(count, () =>
        shop.post("/refunds", { charge_id, amount }, merchant),
      );
      assert.deepEqual(countResponses(replies), {
        201: fits,
        refund_amount_exceeds_captured: count - fits,
      });
      const charge = await read(merchant, `/charges/${charge_id}`);
      assert.equal(charge.amount_refunded, fits * amount);
      assert.equal(await balanceOf(merchant), visa.amount - fee - fits * amount);
    });

    test("concurrent requests with one key create one refund and return one response", async () => {
      const merchant = await createMerchant();
      const body = { charge_id: await pay(merchant), amount: 1_000 };
      expectOneResponse(
        await concurrent(count, () =>
          shop.post("/refunds", body, { ...merchant, key: "one refund" }),
        ),
      );
      assert.equal((await read(merchant, "/refunds?limit=100")).data.length, 1);
      assert.equal(await balanceOf(merchant), visa.amount - fee - 1_000);
    });

    test("concurrent payouts never exceed the available balance", async () => {
      const merchant = await createMerchant();
      await pay(merchant);
      await shop.post("/test_helpers/clock/advance", { seconds: 3 * 86_400 }, merchant);
      const amount = Math.ceil((2 * visa.amount) / count) + 1;
      const fits = Math.floor((visa.amount - fee) / amount);
      const replies = await concurrent(count, () =>
        shop.post("/payouts", { amount, currency: "usd" }, merchant),
      );
      assert.deepEqual(countResponses(replies), {
        201: fits,
        balance_insufficient: count - fits,
      });
      assert.equal(await balanceOf(merchant), visa.amount - fee - fits * amount);
    });
  });
}
