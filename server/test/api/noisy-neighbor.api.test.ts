import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidOf } from "../../src/core/ids.ts";
import { fragment } from "../../src/platform/database/sql.ts";
import type { Reply } from "../client.ts";
import { closeChecked } from "../close-checked.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";

// Tests that the load of one merchant does not delay the requests of another.
const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** Runs `work` while the charge's row is locked. No real operation locks a row that long. */
async function whileLocked(charge: string, work: () => Promise<void>): Promise<void> {
  await shop.app.database.transaction(async (tx) => {
    await tx`select from charges where id = ${uuidOf(charge as "ch_")} for update`;
    await work();
  });
}

/** Asserts that another merchant can pay, read and write without waiting. */
async function assertOtherMerchantIsServed(): Promise<void> {
  const as = shop.otherMerchant.key;
  const started = performance.now();
  const replies = await Promise.all([
    shop.post("/charges", visa, { as }),
    shop.get("/charges?limit=1", { as }),
    shop.post("/customers", { name: "Ada" }, { as }),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 200, 201],
  );
  assert(performance.now() - started < slowed(1_500), "the other merchant's requests waited");
}

test("forty refunds that wait for one charge leave connections for other requests", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  let refunds: Promise<{ status: number }[]> = Promise.resolve([]);
  await whileLocked(id, async () => {
    refunds = Promise.all(
      Array.from({ length: 40 }, () => shop.post("/refunds", { charge_id: id, amount: 10 })),
    );
    await sleep(300);
    await assertOtherMerchantIsServed();
  });
  assert.deepEqual([...new Set((await refunds).map(({ status }) => status))], [201]);
});

test("deletions that wait for a lock leave connections for other merchants' requests", async () => {
  const created = await Promise.all(
    (
      [
        ["/customers", fragment`customers`, { name: "Ada" }],
        ["/rules", fragment`rules`, { expression: "amount > 5", outcome: "review" }],
        [
          "/webhook_endpoints",
          fragment`webhook_endpoints`,
          { url: "https://example.com/hook", enabled_events: ["*"] },
        ],
        ["/saved_views", fragment`saved_views`, { list: "charges", name: "All", query: "status=" }],
        ["/list_entries", fragment`list_entries`, { list: "block", attribute: "ip", value: "::5" }],
      ] as const
    ).map(async ([path, table, params]) => {
      const { body, status, text } = await shop.post(path, params);
      assert.equal(status, 201, text);
      return { url: `${path}/${body.id}`, table, id: uuidOf(body.id) };
    }),
  );
  let deletions: Promise<Reply[]> = Promise.resolve([]);
  await shop.app.database.transaction(async (tx) => {
    for (const { table, id } of created) await tx`select from ${table} where id = ${id} for update`;
    deletions = Promise.all(
      created.flatMap(({ url }) => Array.from({ length: 4 }, () => shop.delete(url))),
    );
    await sleep(300);
    await assertOtherMerchantIsServed();
  });
  const statuses = (await deletions).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(15).fill(404)]);
});

test("429: at most 20 requests of a merchant wait for a slow clock advance", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  let rejections = 0;
  const advance = async () => {
    const reply = await shop.post("/test_helpers/clock/advance", { seconds: 60 });
    if (reply.status === 429) rejections += 1;
    return reply;
  };
  let all: Promise<Reply[]> = Promise.resolve([]);
  await whileLocked(id, async () => {
    all = Promise.all(Array.from({ length: 24 }, advance));
    await until(
      async () => rejections,
      (count) => count >= 3,
    );
    await assertOtherMerchantIsServed();
  });
  const replies = await all;
  const rejected = replies.filter(({ status }) => status === 429);
  assert.deepEqual(
    rejected.map((reply) => errorOf(reply)[2]),
    Array.from({ length: 3 }, () => "concurrency_limit_exceeded"),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 21);
});

test("422: different requests with the key of a slow request are rejected, and block no other merchant", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" })).body;
  let slow: Promise<Reply> | null = null;
  let others: Promise<Reply[]> | null = null;
  await whileLocked(id, async () => {
    const key = "slow";
    slow = shop.post("/test_helpers/clock/advance", { seconds: 60 }, { key });
    await until(
      () => shop.app.database.read`select from idempotency_keys where key = ${key}`,
      (claimed) => claimed.length === 1,
    );
    // Another request can take over the key of a request that died more than a minute ago.
    const { account } = shop.merchant;
    await shop.app.database.transaction(
      (tx) => tx`
        update idempotency_keys set created_at = created_at - interval '2 minutes'
         where account_id = ${uuidOf(account)} and key = ${key}`,
    );
    others = Promise.all([
      ...Array.from({ length: 4 }, () => shop.post("/charges", visa, { key })),
      ...Array.from({ length: 20 }, () => shop.post("/customers", {}, { key })),
    ]);
    await sleep(300);
    await assertOtherMerchantIsServed();
  });
  assert.equal(((await slow) as unknown as Reply).status, 200);
  const statuses = ((await others) as unknown as Reply[]).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)], [422]);
  const after = (await shop.get(`/charges/${held.id}`)).body;
  assert.equal(held.capture_before - after.capture_before, 60);
});

test("a slow operation with its own key runs once, and its response is replayed", async () => {
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" })).body;
  const advance = () => shop.post("/test_helpers/clock/advance", { seconds: 60 }, { key: "alone" });
  const replies = await Promise.all([advance(), advance(), advance()]);
  assert.deepEqual([...new Set(replies.map(({ text }) => text))].length, 1);
  const after = (await shop.get(`/charges/${held.id}`)).body;
  assert.equal(held.capture_before - after.capture_before, 60);
});
