import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createConnectionClient, hmacKey } from "../connection.ts";
import { confirm, createProposalClient, startFourEyesShop } from "../proposals.ts";
import { errorOf } from "../shop.ts";

const shop = await startFourEyesShop();
after(() => shop.close());

const { createOperators, statusOf } = createProposalClient(shop);

test("202: a connection is activated only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const client = createConnectionClient(shop, one);
  const { id } = await client.createReady();
  const { status, body: proposal } = await client.change("POST", id, "activate");
  assert.deepEqual([status, proposal.kind, proposal.account], [202, "activate_connection", null]);
  assert.equal((await client.read(id)).body.state, "tested");
  assert.equal((await confirm(other, proposal.id)).body.status, "confirmed");
  assert.equal((await client.read(id)).body.state, "active");

  const early = await client.change("POST", (await client.create()).body.id, "activate");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "status_transition_invalid"]);
  const { id: changed } = await client.createReady();
  const stale = (await client.change("POST", changed, "activate")).body;
  await client.change("PATCH", changed, "", { name: "Another name" });
  assert.equal((await confirm(other, stale.id)).status, 400);
  assert.equal(await statusOf(stale.id), "obsolete");
});

test("400: the confirmation of another change rejects an HMAC key", async () => {
  const [one, other] = await createOperators();
  const client = createConnectionClient(shop, one);
  const { id } = await client.createReady();
  const { body: activation } = await client.change("POST", id, "activate");
  const rejected = await confirm(other, activation.id, hmacKey);
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_unknown", "hmac_key"]);
  assert.equal((await client.read(id)).body.state, "tested");
});

test("400: a single operator can remove the public key of an active connection, but not replace it", async () => {
  const [one, other] = await createOperators();
  const client = createConnectionClient(shop, one);
  const { id } = (
    await client.create({
      processor: "stripe",
      settings: { merchant_account: "acct_1Fieldware" },
      public_key: "pk_live_51FieldwareFirstKey",
    })
  ).body;
  const secrets = { api_key: "sk_live_51Fieldware", hmac_key: "whsec_FieldwareSigningSecret" };
  await client.change("PUT", id, "secrets", secrets);
  const key = "pk_live_51FieldwareSecondKey";
  assert.equal((await client.change("PATCH", id, "", { public_key: key })).status, 200);
  await client.change("POST", id, "test");
  await client.notify(id);
  const { body: proposal } = await client.change("POST", id, "activate");
  assert.equal((await confirm(other, proposal.id)).body.status, "confirmed");

  const replaced = { public_key: "pk_live_51AnotherAccountsKey" };
  assert.deepEqual(errorOf(await client.change("PATCH", id, "", replaced)), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
    "public_key",
  ]);
  assert.equal((await client.read(id)).body.public_key, key);
  const removed = await client.change("PATCH", id, "", { public_key: null });
  assert.deepEqual([removed.status, removed.body.public_key], [200, null]);
});
