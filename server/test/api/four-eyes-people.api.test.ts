import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import { createPerson } from "../person.ts";
import { confirm, createProposalClient, reason, startFourEyesShop } from "../proposals.ts";
import { errorOf } from "../shop.ts";

const shop = await startFourEyesShop();
after(() => shop.close());

const { createOperators } = createProposalClient(shop);

test("202: an operator is added, and an operator's second factor is reset, only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const newcomer = await createPerson(shop, { secondFactor: true });
  const { email } = newcomer;
  const adding = await one.send("POST", "/operator/v1/operators", { email, reason });
  assert.deepEqual([adding.status, adding.body.kind], [202, "add_operator"]);
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 403);
  assert.equal((await confirm(other, adding.body.id)).status, 200);
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 200);

  await addAuthenticatorApp(shop, newcomer);
  const path = `/operator/v1/operators/${newcomer.id}/reset_second_factor`;
  const reset = await one.send("POST", path, { reason });
  assert.deepEqual([reset.status, reset.body.kind], [202, "reset_operator_factor"]);
  const own = await confirm(newcomer, reset.body.id);
  assert.deepEqual(errorOf(own), [403, "invalid_request_error", "second_operator_required"]);
  assert.equal((await newcomer.send("GET", "/auth/v1/me")).status, 200);
  assert.equal((await confirm(other, reset.body.id)).status, 200);
  assert.equal((await newcomer.send("GET", "/auth/v1/me")).status, 401);
});

test("202: a member's second factor is reset only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account, secondFactor: true });
  const path = `/operator/v1/accounts/${account}/team/${owner.id}/reset_second_factor`;
  const reset = await one.send("POST", path, { reason });
  assert.deepEqual([reset.status, reset.body.kind], [202, "reset_member_factor"]);
  assert.equal((await owner.send("GET", "/auth/v1/me")).status, 200);
  assert.equal((await confirm(other, reset.body.id)).status, 200);
  assert.equal((await owner.send("GET", "/auth/v1/me")).status, 401);
});
