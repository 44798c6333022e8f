import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

let path: string;
before(async () => {
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const secret = await keys.mac(false, Buffer.from("simulator_notifications"));
  path = `/acquirers/simulator/notifications/${secret.toString("base64url")}`;
});

const notify = (body: object) => shop.sendInternal("POST", path, { body });

function disputeNotification(charge: string, fields: object = {}) {
  const notification = {
    account: shop.merchant.account,
    livemode: false,
    networkCase: randomUUID(),
    charge,
    reason: "fraudulent",
    isInquiry: false,
    amountMinor: null,
    state: "open",
    ...fields,
  };
  return { type: "dispute", notification: notification };
}

async function newCharge(fields: object = {}): Promise<string> {
  const body = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa", ...fields };
  return (await shop.post("/charges", body)).body.id;
}

test("204: a dispute of a payment is opened once, even if the acquirer reports it several times", async () => {
  const dispute = disputeNotification(await newCharge());
  for (let count = 0; count < 2; count++) assert.equal((await notify(dispute)).status, 204);
  const { body } = await shop.get("/disputes");
  assert.equal(body.data.length, 1);
});

test("400: a dispute notification for an unknown or uncaptured charge opens no dispute", async () => {
  const before = (await shop.get("/disputes")).body.data.length;
  const unknown = newId("ch", shop.clock.now());
  const unknownAccount = newId("acct", shop.clock.now());
  const held = await newCharge({ capture_method: "manual" });
  const missing = [400, "invalid_request_error", "resource_missing", "charge"];
  assert.deepEqual(errorOf(await notify(disputeNotification(unknown))), missing);
  assert.deepEqual(
    errorOf(await notify(disputeNotification(await newCharge(), { account: unknownAccount }))),
    missing,
  );
  assert.deepEqual(errorOf(await notify(disputeNotification(held))), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
    "charge",
  ]);
  assert.equal((await shop.get("/disputes")).body.data.length, before);
});

test("400: rejects ids and amounts that do not have the acquirer's format", async () => {
  const charge = await newCharge();
  for (const fields of [
    { account: "acct_x" },
    { networkCase: "4242" },
    { charge: "'; drop table charges; --" },
    { amountMinor: 1e15 },
  ]) {
    assert.equal(
      (await notify(disputeNotification(charge, fields))).status,
      400,
      JSON.stringify(fields),
    );
  }
  for (const type of ["charge", "operation"]) {
    const { account } = shop.merchant;
    const notification = {
      account,
      livemode: false,
      reference: "4242",
      response: { kind: "pending" },
    };
    assert.equal((await notify({ type, notification: notification })).status, 400, type);
  }
});

test("404: rejects a notification with a wrong secret", async () => {
  const elsewhere = path.replace(/[^/]+$/, "x");
  const body = disputeNotification(await newCharge());
  assert.equal((await shop.sendInternal("POST", elsewhere, { body })).status, 404);
});
