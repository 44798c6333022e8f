import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidOf } from "../../src/primitives/ids.ts";
import { closeChecked } from "../books.ts";
import { openShop } from "../shop.ts";

/** Whatever one merchant does, another is served. */
const shop = await openShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** Keeps a charge locked while `work` is done, as something slow would; so much slower than any test. */
async function whileLocked(charge: string, work: () => Promise<void>): Promise<void> {
  await shop.app.database.transaction(async (tx) => {
    await tx`select from charges where id = ${uuidOf(charge as "ch_")} for update`;
    await work();
  });
}

/** Another merchant pays, reads and writes, and waits for nobody. */
async function serveStranger(): Promise<void> {
  const as = shop.stranger.key;
  const begun = performance.now();
  const replies = await Promise.all([
    shop.post("/charges", visa, { as }),
    shop.get("/charges?limit=1", { as }),
    shop.post("/customers", { name: "Ada" }, { as }),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 200, 201],
  );
  assert(performance.now() - begun < 1_500, "they were kept waiting");
}

test("forty refunds that wait for one charge leave connections to others", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  let refunds: Promise<{ status: number }[]> = Promise.resolve([]);
  await whileLocked(id, async () => {
    refunds = Promise.all(
      Array.from({ length: 40 }, () => shop.post("/refunds", { charge_id: id, amount: 10 })),
    );
    await sleep(300);
    await serveStranger();
  });
  assert.deepEqual([...new Set((await refunds).map(({ status }) => status))], [201]);
});

test("the key of something slow holds up nobody's payments, whatever it is sent with", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  let slow: Promise<{ status: number }> = Promise.resolve({ status: 0 });
  let others: Promise<unknown> = Promise.resolve();
  await whileLocked(id, async () => {
    const key = "slow";
    slow = shop.post("/test_helpers/clock/advance", { seconds: 1 }, { key });
    await sleep(300);
    others = Promise.all([
      ...Array.from({ length: 4 }, () => shop.post("/charges", visa, { key })),
      ...Array.from({ length: 4 }, () =>
        shop.post("/checkout_sessions", { amount: 500, currency: "usd" }, { key }),
      ),
      ...Array.from({ length: 20 }, () => shop.post("/customers", {}, { key })),
    ]);
    await sleep(300);
    await serveStranger();
  });
  assert.equal((await slow).status, 200);
  assert.deepEqual(
    [...new Set(((await others) as { status: number }[]).map(({ status }) => status))],
    [422],
  );
});
