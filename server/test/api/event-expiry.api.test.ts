import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type EventId, uuidOf } from "../../src/core/ids.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { startEventExpiry } from "../../src/webhooks/events/event.jobs.ts";
import { eventLifeMs } from "../../src/webhooks/events/event.ts";
import { startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";
import { oneTurnOf } from "../test-timers.ts";

// Without workers, so that only the test's own deliveries exist.
const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const { database } = shop.app;

/**
 * Creates a payment. Returns the ID of its event and a function that reports whether the event is still stored. The API
 * never returns expired events.
 */
async function pay(as: typeof shop.merchant.key) {
  const { id: charge } = (await shop.post("/charges", visa, { as })).body;
  const { data } = (await shop.get("/events?limit=100", { as })).body;
  const about = (event: { data: { object: { id: string } } }) => event.data.object.id === charge;
  const id: EventId = data.find(about).id;
  return {
    id,
    isThere: async () => {
      const rows = await database.read`select 1 from events where id = ${uuidOf(id)}`;
      return rows.length === 1;
    },
  };
}

const deliveriesOf = (id: EventId) =>
  database.read<{ status: string }>`
    select status from webhook_deliveries where event_id = ${uuidOf(id)}`;

function expire(): Promise<void> {
  return oneTurnOf((background) => startEventExpiry({ database, clock: shop.clock }, background));
}

test("an event is deleted after 30 days with its deliveries, unless a delivery is still pending", async () => {
  shop.clock.advance(-eventLifeMs - minute);
  const { key: as } = await shop.createMerchant();
  const unread = await pay(as);
  await shop.post(
    "/webhook_endpoints",
    { url: "http://127.0.0.1:9/", enabled_events: ["*"] },
    { as },
  );
  const [delivered, undelivered] = [await pay(as), await pay(as)];
  await database.transaction(
    (tx) => tx`
      update webhook_deliveries
         set status = 'succeeded', next_attempt_at = null, log = '[{"status_code": 200}]'
       where event_id = ${uuidOf(delivered.id)}`,
  );
  shop.clock.advance(eventLifeMs - minute);
  await expire();
  assert.deepEqual(
    [await unread.isThere(), await delivered.isThere()],
    [true, true],
    "both events expire in one minute",
  );

  const recent = await pay(as);
  shop.clock.advance(2 * minute);
  await expire();
  assert.deepEqual([await unread.isThere(), await delivered.isThere()], [false, false]);
  assert.deepEqual(await deliveriesOf(delivered.id), []);
  assert.deepEqual([await undelivered.isThere(), await recent.isThere()], [true, true]);
  assert.deepEqual(await deliveriesOf(undelivered.id), [{ status: "pending" }]);

  const { results } = await verify(database);
  const wrong = results.filter(({ violations }) => violations > 0).map(({ name }) => name);
  assert.deepEqual(
    wrong,
    ["nothing_is_stuck"],
    "the checker reports only the pending delivery, which no worker sends",
  );
});
