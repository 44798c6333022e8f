import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Shop, startShop } from "../../../test/shop.ts";
import { insertSessions } from "../commit/intents.sql.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import { startSession } from "./new-session.ts";

let shop: Shop;

before(async () => {
  shop = await startShop({ workers: false });
});

after(() => shop.close());

test("if a batch contains two requests with the same key, only the first creates its session", async () => {
  const { database } = shop.app;
  const scope = { account: shop.merchant.account, livemode: false };
  const idempotency = { key: "twice in a batch", fingerprint: Buffer.from("same") };
  const opening = () => ({
    session: startSession(scope, { amount: 700, currency: "eur" }, null, shop.clock.now()),
    idempotency,
    response: { status: 201, body: "{}" },
  });
  const both = [opening(), opening()];
  const withoutKey = { ...opening(), idempotency: null };

  const batch = [...both, withoutKey];
  const opened = await database.transaction((tx) => insertSessions(tx, batch));
  assert.deepEqual(opened, [true, false, true]);
  const stored = await Promise.all(
    batch.map(({ session }) => readSession(database.read, scope, session.id)),
  );
  assert.deepEqual(
    stored.map((session) => session !== null),
    [true, false, true],
  );

  // Repeats the insert, as after a lost reply to COMMIT.
  const again = await database.transaction((tx) => insertSessions(tx, [withoutKey]));
  assert.deepEqual(again, [true]);
});
