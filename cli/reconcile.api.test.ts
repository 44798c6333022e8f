import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readConfig } from "@florin/server/config.ts";
import { dayMs, dayOf } from "@florin/server/reconciliation/day.ts";
import { closeChecked } from "@florin/server/test/close-checked.ts";
import { startShop } from "@florin/server/test/shop.ts";
import { reconcile } from "./reconcile.ts";

test("florin reconcile exits with 1 when there is no settlement file to compare", async (context) => {
  const shop = await startShop({ inRealTime: true });
  after(() => closeChecked(shop));
  const { body } = await shop.post("/charges", {
    amount: 1_000,
    currency: "usd",
    payment_method_id: "pm_card_visa",
  });
  assert.equal(body.status, "succeeded");
  const config = readConfig(shop.settings);
  const print = context.mock.method(console, "log", () => {});
  const now = Date.now();
  const run = (day: string) => reconcile(config, ["--day", day]);

  assert.equal(await run(dayOf(new Date(now))), 0);
  assert.equal(await run(dayOf(new Date(now + 2 * dayMs))), 1);
  assert.match(
    String(print.mock.calls.at(-1)?.arguments[0]),
    /^file_missing .*Try again later\.\n.*: 1 merchant reconciled\.$/,
  );
});
