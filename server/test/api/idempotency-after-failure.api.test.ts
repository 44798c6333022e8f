import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import type { Reply } from "../client.ts";
import { errorOf, startShop, until } from "../shop.ts";

/*
 * When a request fails, a concurrent request with the same idempotency key must do the work itself. Each test blocks
 * the first request with a lock in Postgres. Workers are disabled, so that no job waits for the same lock.
 */
// The test looks for a statement in `pg_stat_activity`, which shows only the last statement of each connection. With
// fewer connections, another request could reuse the connection and replace the statement.
const shop = await startShop({ workers: false, databasePool: 8 });
let holder: pg.Client;
before(async () => {
  holder = new pg.Client({ connectionString: shop.settings.DATABASE_URL });
  await holder.connect();
});
after(async () => {
  await holder.end();
  await shop.close();
});

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const replayed = (reply: Reply) => reply.headers.get("idempotent-replayed");
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

/**
 * SQL conditions that find the connection of the second request. Each condition describes what the request waits for.
 */
const waitConditions = {
  /** The second request's claim of the key waits for the first request's transaction. */
  "in Postgres": "$1 = any(pg_blocking_pids(pid)) and query_start > $2",
  /** The second request has found the key in use and polls for the response. */
  "for the response":
    "$1 > 0 and query ~ 'join idempotency_keys' and query_start > $2 and state = 'idle'",
  /** The second request waits for `lock`, as the first does. */
  "at the lock": "pid <> $1 and pg_backend_pid() = any(pg_blocking_pids(pid)) and query_start > $2",
} as const;

/**
 * Acquires `lock`, sends a request, and sends it again once the first is blocked by the lock. Then releases the lock.
 * With `failFirst`, cancels the first request's statement before the release. Returns both responses in order.
 */
async function sendTwice(
  request: () => Promise<Reply>,
  held: { lock: string; secondWaits: keyof typeof waitConditions; failFirst?: boolean },
): Promise<[Reply, Reply]> {
  const { lock, secondWaits, failFirst = true } = held;
  await holder.query("begin");
  await holder.query(lock);
  const first = request();
  const [blocked] = await until(
    () =>
      findBackends("$1 = 0 and pg_backend_pid() = any(pg_blocking_pids(pid)) and $2 < now()", 0),
    (pids) => pids.length > 0,
  );
  const started = await holder.query("select clock_timestamp() as at");
  const second = request();
  await until(
    () => findBackends(waitConditions[secondWaits], blocked as number, started.rows[0].at),
    (pids) => pids.length > 0,
  );
  if (failFirst) {
    await holder.query("select pg_cancel_backend($1)", [blocked]);
    await first;
  }
  await holder.query("rollback");
  return [await first, await second];
}

async function findBackends(
  condition: string,
  pid: number,
  since = new Date(0),
): Promise<number[]> {
  // Within a transaction, `pg_stat_activity` always shows the first snapshot. Discards the snapshot, so that each call
  // reads current rows.
  await holder.query("select pg_stat_clear_snapshot()");
  const { rows } = await holder.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and ${condition}`,
    [pid, since],
  );
  return rows.map((row) => row.pid);
}

async function refundedCharge(): Promise<{ charge: ChargeId; refund: string }> {
  const charge = (await shop.post("/charges", visa)).body.id as ChargeId;
  const refund = (await shop.post("/refunds", { charge_id: charge, amount: 700 })).body.id;
  return { charge, refund };
}

test("a request that waits for a request that fails with a 5xx does the work once", async () => {
  const { refund } = await refundedCharge();
  const path = `/test_helpers/refunds/${refund}/fail`;
  const request = () => shop.post(path, undefined, { key: "fails, then works" });
  const replies = await sendTwice(request, {
    lock: "lock table operations",
    secondWaits: "for the response",
  });
  assert.deepEqual(statuses(replies), [500, 200]);
  assert.deepEqual([replies[1].body.status, replayed(replies[1])], ["failed", null]);
  const again = await request();
  assert.deepEqual([again.text, replayed(again)], [replies[1].text, "true"]);
  const events = await shop.events(refund);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["refund.succeeded", "refund.failed"],
  );
});

test("a request that waits for a rejected request is validated itself and rejected", async () => {
  const { refund } = await refundedCharge();
  const none = `${refund.slice(0, -4)}0000`;
  const replies = await sendTwice(
    () => shop.post(`/test_helpers/refunds/${none}/fail`, undefined, { key: "rejected" }),
    { lock: "lock table operations", secondWaits: "for the response", failFirst: false },
  );
  const rejection = [404, "invalid_request_error", "resource_missing", "id"];
  assert.deepEqual(replies.map(errorOf), [rejection, rejection]);
  assert.notEqual(replies[0].body.error.request_id, replies[1].body.error.request_id);
  const charged = await shop.post("/charges", visa, { key: "rejected" });
  assert.deepEqual([charged.status, replayed(charged)], [201, null]);
});

test("of six concurrent requests with one key that are each rejected, none gets a 5xx", async () => {
  const { refund } = await refundedCharge();
  const none = `${refund.slice(0, -4)}0000`;
  for (let round = 0; round < 10; round++) {
    const replies = await Promise.all(
      Array.from({ length: 6 }, () =>
        shop.post(`/test_helpers/refunds/${none}/fail`, undefined, { key: `six ${round}` }),
      ),
    );
    assert.deepEqual(statuses(replies), [404, 404, 404, 404, 404, 404]);
  }
});

test("a request that is rejected while a failing request holds the same key gets its rejection instead of a 5xx", async () => {
  const { refund } = await refundedCharge();
  const path = `/test_helpers/refunds/${refund}/fail`;
  let sent = 0;
  // The second request's body cannot be parsed, so only its rejection waits for the first request.
  const headers = { authorization: `Bearer ${shop.merchant.key}`, "idempotency-key": "unreadable" };
  const request = () =>
    sent++ === 0
      ? shop.post(path, undefined, { key: "unreadable" })
      : shop.send("POST", `/api/v1${path}`, { body: "{", headers });
  const [first, second] = await sendTwice(request, {
    lock: "lock table operations",
    secondWaits: "for the response",
  });
  assert.equal(first.status, 500);
  assert.deepEqual(errorOf(second).slice(0, 3), [
    422,
    "idempotency_error",
    "idempotency_key_in_use",
  ]);
  const third = await request();
  assert.deepEqual(errorOf(third).slice(0, 3), [400, "invalid_request_error", "body_invalid_json"]);
});

test("a refund whose first request is rolled back is created once by the second", async () => {
  const charge = (await shop.post("/charges", visa)).body.id as ChargeId;
  const body = { charge_id: charge, amount: 700 };
  const replies = await sendTwice(() => shop.post("/refunds", body, { key: "refund" }), {
    lock: `select from charges where id = '${uuidOf(charge)}' for update`,
    secondWaits: "in Postgres",
  });
  assert.deepEqual(statuses(replies), [500, 201]);
  assert.equal((await shop.get(`/charges/${charge}`)).body.amount_refunded, 700);
  assert.deepEqual(await operationsAtAcquirer(shop, charge), [
    { kind: "refund", state: "done", amount: 700 },
  ]);
});

test("a charge whose first request fails before it is recorded is created once by the second", async () => {
  const { key: as } = await shop.createMerchant();
  const request = () => shop.post("/charges", visa, { as, key: "charge" });
  await holder.query("begin");
  await holder.query("lock table charges in share mode");
  const replies = Promise.all(Array.from({ length: 8 }, request));
  const [first] = await until(
    () =>
      findBackends("$1 = 0 and pg_backend_pid() = any(pg_blocking_pids(pid)) and $2 < now()", 0),
    (pids) => pids.length > 0,
  );
  await holder.query("select pg_cancel_backend($1)", [first]);
  await holder.query("rollback");
  const created = (await replies).filter(({ status }) => status === 201);
  assert.ok(created.length > 0);
  assert.equal(new Set(created.map(({ text }) => text)).size, 1);
  assert.deepEqual(
    (await replies).filter(({ status }) => status !== 201 && status !== 500),
    [],
  );
  assert.equal((await shop.get("/charges", { as })).body.data.length, 1);
  const authorizations = await shop.app.database.read<{ reference: string }>`
    select reference from simulator.authorizations where reference = ${uuidOf(created[0]?.body.id)}`;
  assert.equal(authorizations.length, 1);
});

test("an object whose first request is rolled back is created once by the second", async () => {
  const { key: as } = await shop.createMerchant();
  const body = { name: "Ada", email: "ada@example.com" };
  const replies = await sendTwice(() => shop.post("/customers", body, { as, key: "customer" }), {
    lock: "lock table customers in share mode",
    secondWaits: "in Postgres",
  });
  assert.deepEqual(statuses(replies), [500, 201]);
  assert.equal((await shop.get("/customers", { as })).body.data.length, 1);
});

test("a resend of deliveries whose first request is rolled back is done by the second", async () => {
  const created = await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/hook" });
  const path = `/webhook_endpoints/${created.body.id}/resend`;
  const since = Math.floor(shop.clock.now().getTime() / 1000) - 60;
  const replies = await sendTwice(() => shop.post(path, { since }, { key: "resend" }), {
    lock: "lock table webhook_endpoints",
    secondWaits: "at the lock",
  });
  assert.deepEqual(statuses(replies), [500, 200]);
  assert.equal(replayed(replies[1]), null);
});
