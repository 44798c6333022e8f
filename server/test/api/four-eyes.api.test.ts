import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checklistItems } from "@florin/contract/operator.ts";
import { readConnection } from "../../src/acquiring/connections/connection.sql.ts";
import { hmacKeysOf } from "../../src/acquiring/connections/connection-directory.ts";
import { decryptConnectionSecrets } from "../../src/acquiring/connections/connection-secrets.ts";
import { endObsoleteProposals, expireOneProposal } from "../../src/admin/operator/proposal.jobs.ts";
import { proposedSecrets } from "../../src/admin/operator/proposed-secrets.ts";
import { type ConnectionId, uuidOf } from "../../src/core/ids.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rewrapSecrets } from "../../src/vault/rewrap-secrets.ts";
import { fillIn } from "../application.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import {
  acceptingAcquirer,
  apiKey,
  assignmentTerms,
  createConnectionClient,
  hmacKey,
} from "../connection.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { formsInRows } from "../secret-forms.ts";
import { errorOf, startShop } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startShop({ fourEyes: true, testConnection: acceptingAcquirer });
after(() => shop.close());

const { database } = shop.app;
const createAdminConsole = () => createPerson(shop, { operator: true, secondFactor: true });
const [first, second, third] = [
  await createAdminConsole(),
  await createAdminConsole(),
  await createAdminConsole(),
];
const reason = "Agreed with the merchant on the phone.";
const terms = {
  fee_basis_points: 140,
  requests_per_second: null,
  amounts: { usd: { fixed_fee: 25, dispute_fee: 1_000 } },
};

/** Confirms a proposal. `key` is the new HMAC key that a proposal to replace secrets requires. */
const confirm = (by: TestPerson, id: string, key?: string) =>
  by.send("POST", `/operator/v1/proposals/${id}/confirm`, { hmac_key: key });
const dismiss = (by: TestPerson, id: string) =>
  by.send("POST", `/operator/v1/proposals/${id}/dismiss`, {});

/** Creates an account, and proposes a new fee for it as an operator. */
async function proposeTerms(basisPoints = 140) {
  const { account } = await shop.createMerchant({ status: "approved" });
  const path = `/operator/v1/accounts/${account}`;
  const body = { terms: { ...terms, fee_basis_points: basisPoints }, reason };
  const { status, body: proposal } = await first.send("POST", `${path}/terms`, body);
  assert.equal(status, 202, JSON.stringify(proposal));
  const basisPointsNow = async () =>
    (await first.send("GET", path)).body.account.terms.fee_basis_points;
  return { account, path, proposal, basisPointsNow };
}

const auditOf = async (object: string) =>
  (await first.send("GET", `/operator/v1/audit?object_id=${object}`)).body.data.map(
    ({ action, actor }: { action: string; actor: { name: string | null } }) => [action, actor.name],
  );

test("202: new terms are proposed and take effect only after a second operator confirms", async () => {
  const { account, proposal, basisPointsNow } = await proposeTerms();
  assert.deepEqual(
    [proposal.object, proposal.kind, proposal.status, proposal.account, proposal.is_own],
    ["proposal", "change_terms", "pending", account, true],
  );
  assert.notEqual(await basisPointsNow(), 140);
  const { data, four_eyes } = (await second.send("GET", "/operator/v1/proposals")).body;
  assert.deepEqual([four_eyes, data[0].id, data[0].is_own], [true, proposal.id, false]);

  assert.equal((await confirm(second, proposal.id)).body.status, "confirmed");
  assert.equal(await basisPointsNow(), 140);
  assert.deepEqual(await auditOf(proposal.id), [
    ["proposal.confirmed", second.email],
    ["proposal.created", first.email],
  ]);
  const owner = await createPerson(shop, { account });
  const [entry] = (await owner.api("GET", "/audit_log?action=account.terms_changed")).body.data;
  assert.deepEqual(
    [entry.actor.id, entry.after.proposed_by, entry.after.proposal, entry.reason],
    [second.id, first.id, proposal.id, reason],
  );
});

test("403: the proposer cannot confirm their own proposal", async () => {
  const { proposal, basisPointsNow } = await proposeTerms();
  const rejected = await confirm(first, proposal.id);
  assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "second_operator_required"]);
  assert.notEqual(await basisPointsNow(), 140);
});

test("403: an operator who belongs to the account can neither confirm nor reject its proposals", async () => {
  const { proposal, account } = await proposeTerms();
  const insider = await createPerson(shop, { account, operator: true, secondFactor: true });
  for (const decide of [confirm, dismiss]) {
    const rejected = await decide(insider, proposal.id);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "own_account"]);
  }
  assert.equal((await confirm(second, proposal.id)).body.status, "confirmed");
});

test("of concurrent confirmations and rejections one takes effect, and the proposal is executed at most once", async () => {
  for (let round = 0; round < 5; round++) {
    const { proposal, account, basisPointsNow } = await proposeTerms();
    const responses = await Promise.all([
      confirm(second, proposal.id),
      confirm(third, proposal.id),
      dismiss(second, proposal.id),
      dismiss(first, proposal.id),
      confirm(third, proposal.id),
    ]);
    const done = responses.filter(({ status }) => status === 200);
    assert.equal(done.length, 1, JSON.stringify(responses.map(({ body }) => body)));
    const isConfirmed = done[0]?.body.status === "confirmed";
    assert.equal((await basisPointsNow()) === 140, isConfirmed);
    const owner = await createPerson(shop, { account });
    const { data } = (await owner.api("GET", "/audit_log?action=account.terms_changed")).body;
    assert.equal(data.length, isConfirmed ? 1 : 0);
    assert.equal((await auditOf(proposal.id)).length, 2);
  }
});

test("a proposal expires after 24 hours, cannot be confirmed afterwards, and leaves one audit entry", async () => {
  const { proposal } = await proposeTerms();
  shop.clock.advance(24 * hour);
  const late = await createAdminConsole();
  const rejected = await confirm(late, proposal.id);
  assert.deepEqual(errorOf(rejected).slice(0, 3), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
  ]);
  const { data } = (await late.send("GET", "/operator/v1/proposals")).body;
  const shown = data.find(({ id }: { id: string }) => id === proposal.id);
  assert.equal(shown.status, "expired");
  const deps = { database: shop.app.database, clock: shop.clock };
  await Promise.all([expireOneProposal(deps), expireOneProposal(deps), expireOneProposal(deps)]);
  while (await expireOneProposal(deps));
  const entries = await shop.app.database.read`
    select 1 from audit_log where action = 'proposal.expired' and object_id = ${proposal.id}
  `;
  assert.equal(entries.length, 1);
  const owner = await late.send("GET", `/operator/v1/accounts/${proposal.account}`);
  assert.notEqual(owner.body.account.terms.fee_basis_points, 140);
});

test("a proposal can be confirmed only while what the proposer saw is unchanged", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const { account } = await shop.createMerchant({ status: "approved" });
  const path = `/operator/v1/accounts/${account}/terms`;
  const propose = async (basisPoints: number) =>
    (await one.send("POST", path, { terms: { ...terms, fee_basis_points: basisPoints }, reason }))
      .body;
  const [lowFee, highFee] = [await propose(100), await propose(300)];
  assert.equal((await confirm(other, lowFee.id)).status, 200);
  const stale = await confirm(other, highFee.id);
  assert.deepEqual(errorOf(stale).slice(0, 3), [400, "invalid_request_error", "resource_changed"]);
  assert.equal(
    await statusOf(highFee.id),
    "obsolete",
    "the rejected confirmation makes the proposal obsolete",
  );
});

const statusOf = async (proposal: string) => {
  const [row] = await database.read<{ status: string }>`
    select status from operator_proposals where id = ${uuidOf(proposal as `prop_${string}`)}`;
  return row?.status;
};

const actionsOn = async (proposal: string) =>
  (
    await database.read<{ action: string }>`
      select action from audit_log where object_id = ${proposal} order by number`
  ).map(({ action }) => action);

test("a proposal becomes obsolete when its object or proposer changes, with one audit entry", async () => {
  const [one, other, leaver] = [
    await createAdminConsole(),
    await createAdminConsole(),
    await createAdminConsole(),
  ];
  const { account } = await shop.createMerchant({ status: "approved" });
  const member = await createPerson(shop, { account, secondFactor: true });
  const newcomer = await createPerson(shop, { secondFactor: true });
  const path = `/operator/v1/accounts/${account}`;
  const propose = async (by: TestPerson, at: string, body: object = {}) => {
    const { status, body: created } = await by.send("POST", at, { ...body, reason });
    assert.equal(status, 202, JSON.stringify(created));
    return created.id as string;
  };
  const makeTerms = (fee_basis_points: number) => ({ terms: { ...terms, fee_basis_points } });
  const stale = [
    await propose(one, `${path}/terms`, makeTerms(201)),
    await propose(one, `${path}/team/${member.id}/reset_second_factor`),
    await propose(one, "/operator/v1/operators", { email: newcomer.email }),
    await propose(one, `/operator/v1/operators/${leaver.id}/reset_second_factor`),
    await propose(leaver, `${path}/terms`, makeTerms(203)),
  ];
  const applied = await propose(one, `${path}/terms`, makeTerms(202));
  const deps = { database: shop.app.database, clock: shop.clock };
  await endObsoleteProposals(deps);
  for (const id of [...stale, applied]) assert.equal(await statusOf(id), "pending");

  assert.equal((await confirm(other, applied)).status, 200);
  const added = await propose(one, "/operator/v1/operators", { email: newcomer.email });
  assert.equal((await confirm(other, added)).status, 200);
  await database.transaction(
    (tx) => tx`delete from members where person_id = ${uuidOf(member.id)}`,
  );
  await one.send("POST", `/operator/v1/operators/${leaver.id}/remove`, { reason });
  await Promise.all([endObsoleteProposals(deps), endObsoleteProposals(deps)]);
  for (const id of stale) {
    assert.equal(await statusOf(id), "obsolete");
    assert.deepEqual(await actionsOn(id), ["proposal.created", "proposal.obsolete"]);
    assert.equal((await confirm(other, id)).status, 400);
  }
});

test("a proposal to approve an application becomes obsolete when another operator requests more information", async () => {
  const [first, second] = [await createAdminConsole(), await createAdminConsole()];
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account, secondFactor: true });
  await fillIn(owner);
  await owner.api("POST", "/application/submit", {});
  const path = `/operator/v1/accounts/${account}/application`;
  const version = async () => (await first.send("GET", path)).body.application.version;
  await first.send("POST", `${path}/begin_review`, { version: await version() });
  for (const item of checklistItems) {
    await first.send("POST", `${path}/checklist`, { item, checked: true });
  }
  const { body } = await first.send("POST", `${path}/approve`, {
    version: await version(),
    reason,
  });
  const deps = { database, clock: shop.clock };
  await endObsoleteProposals(deps);
  assert.equal(await statusOf(body.id), "pending");
  const requests = [{ section: "business", message: "Which currencies?" }];
  const informationRequest = await second.send("POST", `${path}/request_information`, {
    version: await version(),
    requests,
  });
  assert.equal(informationRequest.status, 200, informationRequest.text);
  await endObsoleteProposals(deps);
  assert.equal(await statusOf(body.id), "obsolete");
});

test("approving an application, adding an operator and resetting a second factor require a second operator", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account, secondFactor: true });
  await fillIn(owner);
  await owner.api("POST", "/application/submit", {});
  const path = `/operator/v1/accounts/${account}`;
  const version = async () =>
    (await one.send("GET", `${path}/application`)).body.application.version;
  await one.send("POST", `${path}/application/begin_review`, { version: await version() });
  const early = await one.send("POST", `${path}/application/approve`, {
    version: await version(),
    reason,
  });
  assert.equal(early.status, 400, "an operation that would be rejected cannot be proposed");
  for (const item of checklistItems) {
    await one.send("POST", `${path}/application/checklist`, { item, checked: true });
  }
  const approval = await one.send("POST", `${path}/application/approve`, {
    version: await version(),
    reason,
  });
  assert.equal(approval.status, 202);
  const statusNow = async () => (await one.send("GET", path)).body.account.status;
  assert.equal(await statusNow(), "test_only");
  assert.equal((await confirm(other, approval.body.id)).status, 200);
  assert.equal(await statusNow(), "approved");

  const newcomer = await createPerson(shop, { secondFactor: true });
  const { email } = newcomer;
  const adding = await one.send("POST", "/operator/v1/operators", { email, reason });
  assert.equal(adding.status, 202);
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 403);
  assert.equal((await confirm(other, adding.body.id)).status, 200);
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 200);

  await addAuthenticatorApp(shop, newcomer);
  const path2 = `/operator/v1/operators/${newcomer.id}/reset_second_factor`;
  const reset = await one.send("POST", path2, { reason });
  const own = await confirm(newcomer, reset.body.id);
  assert.deepEqual(errorOf(own), [403, "invalid_request_error", "second_operator_required"]);
  assert.equal((await newcomer.send("GET", "/auth/v1/me")).status, 200);
  assert.equal((await confirm(other, reset.body.id)).status, 200);
  assert.equal((await newcomer.send("GET", "/auth/v1/me")).status, 401);

  const memberReset = `${path}/team/${owner.id}/reset_second_factor`;
  const resetting = await one.send("POST", memberReset, { reason });
  assert.equal((await owner.send("GET", "/auth/v1/me")).status, 200);
  assert.equal((await confirm(other, resetting.body.id)).status, 200);
  assert.equal((await owner.send("GET", "/auth/v1/me")).status, 401);
});

test("a proposal of a former operator cannot be confirmed", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const { account } = await shop.createMerchant({ status: "approved" });
  const { body } = await one.send("POST", `/operator/v1/accounts/${account}/terms`, {
    terms,
    reason,
  });
  await other.send("POST", `/operator/v1/operators/${one.id}/remove`, { reason });
  assert.equal((await confirm(other, body.id)).status, 400);
});

test("403: a second operator cannot confirm a proposal about an account that they belong to", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const { account } = await shop.createMerchant({ status: "approved" });
  const member = await createPerson(shop, { account, operator: true, secondFactor: true });
  const path = `/operator/v1/accounts/${account}`;
  const { body } = await one.send("POST", `${path}/terms`, { terms, reason });
  assert.deepEqual(errorOf(await confirm(member, body.id)), [
    403,
    "invalid_request_error",
    "own_account",
  ]);
  assert.equal((await confirm(other, body.id)).status, 200);
});

test("202: a connection is activated only after a second operator confirms", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  const { data } = (await other.send("GET", "/operator/v1/proposals")).body;
  assert.equal(data.find(({ id }: { id: string }) => id === stale.id).status, "obsolete");
});

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
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  const later = await createAdminConsole();
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
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
    await createAdminConsole(),
    await createAdminConsole(),
    await createAdminConsole(),
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

test("400: the confirmation of another change rejects an HMAC key", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const client = createConnectionClient(shop, one);
  const { id } = await client.createReady();
  const { body: activation } = await client.change("POST", id, "activate");
  const rejected = await confirm(other, activation.id, hmacKey);
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_unknown", "hmac_key"]);
  assert.equal((await client.read(id)).body.state, "tested");
});

test("a server of version 0.1.0 cannot confirm a new HMAC key, which it would not store, or end the proposal without erasing the key", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  await one.send("POST", `/operator/v1/proposals/${withdrawn}/dismiss`, {});
  await other.send("POST", `/operator/v1/proposals/${rejected}/dismiss`, {});
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
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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

test("400: a single operator can remove the public key of an active connection, but not replace it", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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

test("202: an assignment is created or changed only after a second operator confirms", async () => {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
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
  const { data } = (await other.send("GET", "/operator/v1/proposals")).body;
  assert.equal(data.find(({ id }: { id: string }) => id === pending.id).status, "obsolete");
});
