import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "../../../test/slowness.ts";
import { uuidOf } from "../../core/ids.ts";
import { createDeliveryFixture, database, fine, receiver } from "./delivery.fixture.ts";

test("a merchant with many slow endpoints does not delay another merchant", async () => {
  const fixture = await createDeliveryFixture();
  const slow = await receiver(() => {});
  for (let count = 0; count < 40; count++) await fixture.endpoint(slow.url);
  await fixture.happen(20);
  const worker = fixture.start({ deadlineMs: 5_000, maxHeld: 256, claimSize: 64 });
  // The worker now holds as many of the merchant's deliveries as it ever will.
  while (slow.received.length < 32) await sleep(5);
  await sleep(slowed(500));

  const other = await createDeliveryFixture();
  other.clock.time = fixture.clock.time;
  const shop = await receiver(fine);
  await other.endpoint(shop.url);
  await other.happen();
  const startedAt = performance.now();
  worker.wake();
  await other.delivery(1);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < slowed(1_000), `${tookMs} ms`);
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  await worker.stop();
});
