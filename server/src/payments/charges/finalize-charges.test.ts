import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openShop, type Shop } from "../../../test/shop.ts";
import type { ProcessorAnswer } from "../../acquiring/processor.ts";
import { chargeAfterResponse } from "./apply-response.ts";
import { readCharge } from "./charge.sql.ts";
import type { ProcessingCharge } from "./charge.ts";
import { type ChargeOutcome, finalizeCharges } from "./finalize-charges.sql.ts";

let shop: Shop;

before(async () => {
  shop = await openShop({ workers: false, acquirer: { resolveAfterMs: 60_000 } });
});

after(() => shop.close());

test("of two outcomes of one charge in one batch the first is recorded, and only it is told so", async () => {
  const { database } = shop.app;
  const owner = { account: shop.merchant.account, livemode: false };
  const facts = { amount: 9_004_005, currency: "usd", payment_method_id: "pm_card_visa" };
  const { body } = await shop.post("/charges", facts);
  const pending = (await readCharge(database.read, owner, body.id)) as ProcessingCharge;
  assert.equal(pending.status, "processing");

  const becomes = (answer: ProcessorAnswer): ChargeOutcome => ({
    charge: chargeAfterResponse(pending, answer, shop.clock.now()),
    dueAt: null,
    transfers: [],
    event: null,
    review: null,
    session: null,
    answer: { status: 201, body: "{}" },
    answerIsInEvent: false,
  });
  const unknown = becomes({ kind: "unknown", why: "timeout" });
  const failed = becomes({ kind: "not_sent" });

  const finalized = await database.transaction((tx) =>
    finalizeCharges(tx, [unknown, failed], null),
  );
  assert.deepEqual(
    finalized.map(({ recorded }) => recorded),
    [true, false],
  );
  const stored = await readCharge(database.read, owner, body.id);
  assert.equal(stored?.status, "processing");
  assert.equal(stored?.version, pending.version + 1);
});
