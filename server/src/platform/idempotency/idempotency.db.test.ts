import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "../../../test/database.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import { connectDatabase } from "../database/database.ts";
import type { ApiResponse } from "../http/route.ts";
import { claimKey, storeResponse } from "./idempotency.sql.ts";
import { createIdempotencyKeys } from "./idempotency.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 12, onIdleError: () => {} });
const keys = createIdempotencyKeys(database);
after(async () => {
  await keys.close();
  await database.close();
  await testDatabase.drop();
});

const scope = { account: newId("acct", new Date()), livemode: false };
const idempotency = (key: string, print = "a") => ({ key, fingerprint: Buffer.from(print) });
const done = (body = "{}") => ({ status: 201, body });
const isCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code;

test("the work runs once, and later requests with the key get its response", async () => {
  let worked = 0;
  const once = () =>
    keys.runInTransaction(scope, idempotency("once"), async () => done(`{"n":${++worked}}`));
  assert.deepEqual(await once(), { status: 201, body: '{"n":1}' });
  assert.deepEqual(await once(), { status: 201, body: '{"n":1}', replayed: true });
});

test("without a key the work runs each time", async () => {
  let worked = 0;
  for (let count = 0; count < 3; count++) {
    await keys.runInTransaction(scope, null, async () => done(String(++worked)));
  }
  assert.equal(worked, 3);
});

test("of many concurrent requests one does the work and the others wait for its response", async () => {
  let worked = 0;
  const responses = await Promise.all(
    Array.from({ length: 10 }, () =>
      keys.runInTransaction(scope, idempotency("at once"), async () => {
        await sleep(100);
        return done(`{"n":${++worked}}`);
      }),
    ),
  );
  assert.equal(worked, 1);
  assert.equal(responses.filter(({ replayed }) => !replayed).length, 1);
  assert.ok(responses.every(({ body }) => body === '{"n":1}'));
});

test("failed work is rolled back, and its key is free", async () => {
  const failing = keys.runInTransaction(scope, idempotency("fails"), async (tx) => {
    await tx`insert into idempotency_keys (account_id, livemode, key, fingerprint)
             values (gen_random_uuid(), false, 'left behind', '\\x00')`;
    throw new Error("broken");
  });
  await assert.rejects(failing, /broken/);
  const rows =
    await database.read`select 1 from idempotency_keys where key in ('fails', 'left behind')`;
  assert.deepEqual(rows, []);
  assert.equal(await keys.find({ scope, key: "fails" }), null);
  assert.deepEqual(
    await keys.runInTransaction(scope, idempotency("fails", "b"), async () => done()),
    done(),
  );
});

test("another fingerprint is rejected, whether or not the first request has finished", async () => {
  await keys.runInTransaction(scope, idempotency("bound"), async () => done());
  const other = () => keys.runInTransaction(scope, idempotency("bound", "b"), async () => done());
  await assert.rejects(other, isCode("idempotency_key_in_use"));
  await assert.rejects(
    keys.replay(scope, idempotency("bound", "b")),
    isCode("idempotency_key_in_use"),
  );
});

test("a free key has no response to replay", async () => {
  assert.equal(await keys.replay(scope, idempotency("free")), null);
});

/** The methods that run work with a key, by name. */
const methods: Readonly<
  Record<string, (key: string, work: () => ApiResponse) => Promise<ApiResponse>>
> = {
  runInTransaction: (key, work) =>
    keys.runInTransaction(scope, idempotency(key), async () => work()),
  runLongTransaction: (key, work) =>
    keys.runLongTransaction(scope, idempotency(key), async () => work()),
  runWithoutTransaction: (key, work) =>
    keys.runWithoutTransaction(scope, idempotency(key), async () => work()),
  runSelfClaiming: (key, work) =>
    keys.runSelfClaiming(scope, idempotency(key), () =>
      database.transaction(async (tx) => {
        const { fingerprint } = idempotency(key);
        if (!(await claimKey(tx, { scope, key }, fingerprint))) return null;
        const response = work();
        await storeResponse(tx, { scope, key }, response);
        return response;
      }),
    ),
};

/** Starts work that claims a key and runs until `fail` is called. The failure frees the key. */
async function failLater(key: string) {
  const failing = Promise.withResolvers<ApiResponse>();
  const claimed = Promise.withResolvers<void>();
  const first = keys.runWithoutTransaction(scope, idempotency(key), () => {
    claimed.resolve();
    return failing.promise;
  });
  await claimed.promise;
  return {
    async fail() {
      failing.reject(new Error("broken"));
      await assert.rejects(first, /broken/);
    },
  };
}

for (const [name, way] of Object.entries(methods)) {
  test(`${name}: when a request fails, one of those that wait does the work and the others get its response`, async () => {
    const first = await failLater(`failing ${name}`);
    let worked = 0;
    const waiting = Promise.all(
      Array.from({ length: 5 }, () => way(`failing ${name}`, () => done(`{"n":${++worked}}`))),
    );
    await sleep(50);
    await first.fail();
    const responses = await waiting;
    assert.equal(responses.filter(({ replayed }) => replayed).length, 4);
    assert.equal(new Set(responses.map(({ body }) => body)).size, 1);
    // `runLongTransaction` may do the work more than once, but commits only one of the transactions.
    if (name !== "runLongTransaction") assert.equal(worked, 1);
  });
}

test("a request gives up after ten claims if other requests claim and free its key each time", async () => {
  let claims = 0;
  const taken = async () => {
    claims++;
    return null;
  };
  await assert.rejects(
    keys.runSelfClaiming(scope, idempotency("contended"), taken),
    isCode("idempotency_request_in_progress"),
  );
  assert.equal(claims, 10);
});

test("a key stays taken if its work is done but its response could not be stored", async () => {
  let worked = 0;
  const work = async () => ({ ...done(`{"n":${++worked}}`), status: Number.NaN });
  await assert.rejects(keys.runWithoutTransaction(scope, idempotency("unstored"), work));
  assert.notEqual(await keys.find({ scope, key: "unstored" }), null);
  assert.equal(worked, 1);
});

test("the same key text of another account or mode is a separate key", async () => {
  const others = [
    scope,
    { ...scope, livemode: true },
    { account: newId("acct", new Date()), livemode: false },
  ];
  for (const [index, other] of others.entries()) {
    const response = await keys.runInTransaction(
      other,
      idempotency("scoped", String(index)),
      async () => done(String(index)),
    );
    assert.deepEqual(response, done(String(index)));
  }
});
