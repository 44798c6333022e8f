import assert from "node:assert/strict";
import { after, test } from "node:test";
import { endObsoleteProposals } from "../../src/admin/operator/proposal.jobs.ts";
import { assignmentTerms, createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { confirm, createProposalClient, reason, startFourEyesShop } from "../proposals.ts";
import { errorOf } from "../shop.ts";

const shop = await startFourEyesShop();
after(() => shop.close());

const { database } = shop.app;
const { createOperators, statusOf } = createProposalClient(shop);

test("202: an assignment is created or changed only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const { account } = await shop.createMerchant({ status: "approved" });
  const { id: connection } = (await createConnectionClient(shop, one).create()).body;
  const path = "/operator/v1/assignments";
  const assignments = async () => (await one.send("GET", `${path}?account=${account}`)).body.data;
  const created = await one.send("POST", path, { account, connection, ...assignmentTerms });
  assert.deepEqual([created.status, created.body.account], [202, account]);
  assert.deepEqual(await assignments(), []);
  assert.equal((await confirm(other, created.body.id)).status, 200);
  const [{ id, mcc }] = await assignments();
  assert.deepEqual([id, mcc], [created.body.details.assignment, "5941"]);

  const changes = { version: 1, mcc: "5812", reason };
  const changed = await one.send("PATCH", `${path}/${id}`, changes);
  assert.equal((await assignments())[0].mcc, "5941");
  assert.equal((await confirm(other, changed.body.id)).status, 200);
  assert.equal((await assignments())[0].mcc, "5812");
  const entries = (await one.send("GET", `/operator/v1/audit?object_id=${id}`)).body.data;
  assert.deepEqual(
    entries.map(({ action, actor, after }: Record<string, Record<string, unknown>>) => [
      action,
      actor?.id,
      after?.proposed_by,
    ]),
    [
      ["assignment.updated", other.id, one.id],
      ["assignment.created", other.id, one.id],
    ],
  );

  const pending = (await one.send("PATCH", `${path}/${id}`, { ...changes, version: 2 })).body;
  const member = await createPerson(shop, { operator: true, secondFactor: true, account });
  assert.deepEqual(errorOf(await confirm(member, pending.id)), [
    403,
    "invalid_request_error",
    "own_account",
  ]);
  await one.send("POST", `${path}/${id}/end`, { version: 2, reason });
  await endObsoleteProposals({ database, clock: shop.clock });
  assert.equal(await statusOf(pending.id), "obsolete");
});
