import assert from "node:assert/strict";
import { after, test } from "node:test";
import { maxCardsPerSession } from "../../src/checkout-sessions/checkout-session.ts";
import { openCheckout } from "../checkout.ts";
import { openShop, wrong } from "../shop.ts";

const shop = await openShop();
after(() => shop.close());

const goodCard = "4242424242424242";

test("400: no more cards than the limit can be typed into a session, also when all come at once", async () => {
  const browser = await openCheckout(shop);
  const replies = await Promise.all(
    Array.from({ length: maxCardsPerSession + 15 }, () => browser.type(goodCard)),
  );
  const stored = replies.filter(({ status }) => status === 201);
  const rejected = replies.filter(({ status }) => status !== 201);
  assert.equal(stored.length, maxCardsPerSession);
  for (const reply of [...rejected, await browser.type(goodCard)]) {
    const { body } = reply;
    assert.deepEqual(wrong(reply).slice(0, 2), [400, "invalid_request_error"]);
    assert.equal(body.error.code, "session_max_cards");
  }
  assert.equal((await browser.confirm(stored[0]?.body.payment_method_id)).body.status, "complete");
});
