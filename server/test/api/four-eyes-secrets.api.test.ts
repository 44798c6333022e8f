import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readConnection } from "../../src/acquiring/connections/connection.sql.ts";
import { hmacKeysOf } from "../../src/acquiring/connections/connection-directory.ts";
import { decryptConnectionSecrets } from "../../src/acquiring/connections/connection-secrets.ts";
import { endObsoleteProposals, expireOneProposal } from "../../src/admin/operator/proposal.jobs.ts";
import { proposedSecrets } from "../../src/admin/operator/proposed-secrets.ts";
import { type ConnectionId, uuidOf } from "../../src/core/ids.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rewrapSecrets } from "../../src/vault/rewrap-secrets.ts";
import { apiKey, createConnectionClient, hmacKey } from "../connection.ts";
import type { TestPerson } from "../person.ts";
import { confirm, createProposalClient, dismiss, startFourEyesShop } from "../proposals.ts";
import { formsInRows } from "../secret-forms.ts";
import { errorOf } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startFourEyesShop();
after(() => shop.close());

const { database } = shop.app;
const { createOperator, createOperators, statusOf, actionsOn } = createProposalClient(shop);
const newHmacKey = "AB".repeat(32);

/** Creates an active connection, which two operators have activated. */
async function createActiveConnection(one: TestPerson, other: TestPerson) {
  const client = createConnectionClient(shop, one);
  const { id } = await client.createReady();
  const { body: activation } = await client.change("POST", id, "activate");
  assert.equal((await confirm(other, activation.id)).status, 200);
  return { client, id: id as ConnectionId };
}

/** Returns the HMAC keys with which the connection's notifications may be signed now. */
async function hmacKeysNow(id: ConnectionId): Promise<(string | null)[]> {
  const stored = await readConnection(database.read, id);
  assert(stored);
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const decrypt = (ciphertext: Buffer) => decryptConnectionSecrets(keys, id, ciphertext);
  const { current, previous } = stored.encrypted;
  const open = {
    connection: stored.connection,
    secrets: await decrypt(current as Buffer),
    previousSecrets: previous && (await decrypt(previous)),
  };
  const accepted = hmacKeysOf(open, shop.clock.now());
  return [accepted.current.reveal(), accepted.previous?.reveal() ?? null];
}

const storedSecretsOf = async (proposal: string) => {
  const [row] = await database.read<{ secrets: Buffer | null }>`
    select secrets from operator_proposals where id = ${uuidOf(proposal as `prop_${string}`)}`;
  return row?.secrets;
};

test("202: a new HMAC key of an active connection is accepted only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const { client, id } = await createActiveConnection(one, other);
  const before = (await client.read(id)).body;
  const proposed = await client.change("PUT", id, "secrets", {
    hmac_key: newHmacKey,
    overlap_hours: 2,
  });
  assert.equal(proposed.status, 202, proposed.text);
  const { body: proposal } = proposed;
  assert.deepEqual([proposal.kind, proposal.account], ["replace_secrets", null]);
  assert.deepEqual([proposal.details.connection, proposal.details.replaced], [id, ["hmac_key"]]);
  assert.deepEqual((await client.read(id)).body, before);
  assert.deepEqual(await hmacKeysNow(id), [hmacKey, null]);
  assert.deepEqual(errorOf(await confirm(one, proposal.id, newHmacKey)), [
    403,
    "invalid_request_error",
    "second_operator_required",
  ]);

  shop.clock.advance(hour);
  const later = await createOperator();
  assert.equal((await confirm(later, proposal.id, newHmacKey)).status, 200);
  assert.deepEqual(await hmacKeysNow(id), [newHmacKey, hmacKey]);
  const {
    secrets,
    test: tested,
    state,
  } = (await later.send("GET", `/operator/v1/connections/${id}`)).body;
  assert.deepEqual([secrets.version, tested.secrets_version, state], [2, 2, "active"]);
  assert.equal(secrets.previous_until - secrets.configured_at, (2 * hour) / 1000);
  shop.clock.advance(2 * hour);
  assert.deepEqual(await hmacKeysNow(id), [newHmacKey, null]);
});

test("400: a new HMAC key is not accepted unless the second operator enters the proposed key", async () => {
  const [one, other] = await createOperators();
  const { client, id } = await createActiveConnection(one, other);
  const { body: proposal } = await client.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  const missing = await confirm(other, proposal.id);
  assert.deepEqual(errorOf(missing).slice(2), ["parameter_missing", "hmac_key"]);
  for (const wrong of [hmacKey, newHmacKey.slice(1), `${newHmacKey}A`, newHmacKey.toLowerCase()]) {
    const rejected = await confirm(other, proposal.id, wrong);
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "parameter_invalid",
      "hmac_key",
    ]);
  }
  assert.equal(await statusOf(proposal.id), "pending");
  assert.deepEqual(await hmacKeysNow(id), [hmacKey, null]);

  assert.equal((await confirm(other, proposal.id, newHmacKey)).body.status, "confirmed");
  assert.deepEqual(await hmacKeysNow(id), [newHmacKey, hmacKey]);
  const { data } = (await one.send("GET", `/operator/v1/audit?object_id=${proposal.id}`)).body;
  assert.deepEqual(
    data.map(({ action, actor, after }: Record<string, Record<string, unknown>>) => [
      action,
      actor?.id,
      after?.wrong_keys ?? after?.key_matched,
    ]),
    [
      ["proposal.confirmed", other.id, true],
      ...[4, 3, 2, 1].map((count) => ["proposal.key_rejected", other.id, count]),
      ["proposal.created", one.id, undefined],
    ],
  );
});

test("a proposal ends after five wrong HMAC keys, even if they are sent at the same time, and then rejects the proposed key", async () => {
  const [one, other, another] = [
    await createOperator(),
    await createOperator(),
    await createOperator(),
  ];
  const { client, id } = await createActiveConnection(one, other);
  const { body: proposal } = await client.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      confirm(n % 2 === 0 ? other : another, proposal.id, String(n).padStart(64, "0")),
    ),
  );
  const codes = replies.map((reply) => errorOf(reply)[2]);
  assert.equal(codes.filter((code) => code === "parameter_invalid").length, 5);
  assert.equal(codes.filter((code) => code === "status_transition_invalid").length, 7);
  const rejected = await confirm(other, proposal.id, newHmacKey);
  assert.equal(errorOf(rejected)[2], "status_transition_invalid");
  assert.deepEqual(
    [await statusOf(proposal.id), await storedSecretsOf(proposal.id)],
    ["obsolete", null],
  );
  assert.deepEqual(await hmacKeysNow(id), [hmacKey, null]);
  assert.deepEqual(await actionsOn(proposal.id), [
    "proposal.created",
    ...Array.from({ length: 5 }, () => "proposal.key_rejected"),
    "proposal.obsolete",
  ]);
});

test("a server of version 0.1.0 cannot confirm a new HMAC key, which it would not store, or end the proposal without erasing the key", async () => {
  const [one, other] = await createOperators();
  const { client, id } = await createActiveConnection(one, other);
  const { body: proposal } = await client.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  // The statements of version 0.1.0 change only these columns.
  const by = uuidOf(other.id);
  for (const [status, decidedBy, constraint] of [
    ["confirmed", by, "operator_proposals_secrets_confirmed_by_key_match"],
    ["rejected", by, "operator_proposals_secrets_erased_at_end"],
    ["obsolete", null, "operator_proposals_secrets_erased_at_end"],
  ] as const) {
    const ending = database.transaction(
      (tx) => tx`
        update operator_proposals
           set status = ${status}, decided_by = ${decidedBy}, decided_at = ${shop.clock.now()}
         where id = ${uuidOf(proposal.id)} and status = 'pending'`,
    );
    await assert.rejects(ending, { constraint });
  }
  assert.equal((await confirm(other, proposal.id, newHmacKey)).status, 200);
});

test("no response, audit entry or column contains proposed secrets, which are erased when the proposal ends", async () => {
  const [one, other] = await createOperators();
  const { client, id } = await createActiveConnection(one, other);
  const secrets = { api_key: "AQE-another-key-of-the-account", hmac_key: newHmacKey };
  const propose = async (changes = {}) => {
    const proposed = await client.change("PUT", id, "secrets", { ...secrets, ...changes });
    assert.equal(proposed.status, 202, proposed.text);
    return proposed.body.id as string;
  };
  const [withdrawn, rejected, obsolete, confirmed] = [
    await propose(),
    await propose(),
    await propose(),
    await propose(),
  ];
  const wrongKey = "EF".repeat(32);
  const wrong = await confirm(other, confirmed, wrongKey);
  assert.equal(wrong.status, 400);
  const list = await other.send("GET", "/operator/v1/proposals");
  const rows = await database.read<{ row: string }>`
    select operator_proposals::text as row from operator_proposals
    union all select entry from audit_log
  `;
  const places = [
    wrong.text,
    list.text,
    rows.map(({ row }) => row).join(),
    JSON.stringify(shop.log),
  ];
  for (const place of places) {
    for (const form of [secrets.api_key, newHmacKey, wrongKey].flatMap(formsInRows)) {
      assert.ok(!place.includes(form));
    }
  }
  for (const proposal of [withdrawn, rejected, obsolete, confirmed]) {
    assert.ok(await storedSecretsOf(proposal));
  }
  await dismiss(one, withdrawn);
  await dismiss(other, rejected);
  assert.equal((await confirm(other, confirmed, newHmacKey)).status, 200);
  await endObsoleteProposals({ database, clock: shop.clock });
  assert.equal(await statusOf(obsolete), "obsolete");
  for (const proposal of [withdrawn, rejected, obsolete, confirmed]) {
    assert.equal(await storedSecretsOf(proposal), null);
  }
  const expiring = await propose({ hmac_key: "CD".repeat(32) });
  shop.clock.advance(24 * hour);
  while (await expireOneProposal({ database, clock: shop.clock }));
  assert.deepEqual([await statusOf(expiring), await storedSecretsOf(expiring)], ["expired", null]);
});

test("a key rotation rewraps the secrets of a pending proposal, which can still be confirmed", async () => {
  const [one, other] = await createOperators();
  const { client, id } = await createActiveConnection(one, other);
  const { body } = await client.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  const before = await storedSecretsOf(body.id);
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  await keys.rotate(true);
  assert.ok((await rewrapSecrets({ database, keys }, proposedSecrets, true)) >= 1);
  assert.equal(await rewrapSecrets({ database, keys }, proposedSecrets, true), 0);
  assert.notDeepEqual(await storedSecretsOf(body.id), before);
  assert.equal((await confirm(other, body.id, newHmacKey)).status, 200);
  assert.deepEqual(await hmacKeysNow(id), [newHmacKey, hmacKey]);
});

test("a single operator can replace an API key, and an HMAC key before the activation, but keeps no earlier HMAC key", async () => {
  const [one, other] = await createOperators();
  const { client, id: active } = await createActiveConnection(one, other);
  const replaced = { api_key: "AQE-another-key-of-the-account" };
  assert.equal((await client.change("PUT", active, "secrets", replaced)).status, 200);
  const unchanged = { api_key: "AQE-third-key-of-the-account", hmac_key: hmacKey };
  assert.equal((await client.change("PUT", active, "secrets", unchanged)).status, 200);
  assert.deepEqual(await hmacKeysNow(active), [hmacKey, hmacKey]);

  // An operator must not be able to activate a connection that also accepts a key that only this operator knows.
  const { body: draft } = await client.create();
  const first = { api_key: apiKey, hmac_key: newHmacKey };
  assert.equal((await client.change("PUT", draft.id, "secrets", first)).status, 200);
  const second = { hmac_key: hmacKey, overlap_hours: 168 };
  assert.equal((await client.change("PUT", draft.id, "secrets", second)).status, 200);
  await client.change("POST", draft.id, "test");
  await client.notify(draft.id);
  const { body: activation } = await client.change("POST", draft.id, "activate");
  assert.equal((await confirm(other, activation.id)).status, 200);
  assert.deepEqual(await hmacKeysNow(draft.id), [hmacKey, null]);
});
