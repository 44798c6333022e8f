import assert from "node:assert/strict";
import { after, test } from "node:test";
import { endObsoleteProposals, expireOneProposal } from "../../src/admin/operator/proposal.jobs.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { createPerson, type TestPerson } from "../person.ts";
import {
  confirm,
  createProposalClient,
  dismiss,
  proposedTerms,
  reason,
  startFourEyesShop,
} from "../proposals.ts";
import { errorOf } from "../shop.ts";
import { hour } from "../test-clock.ts";

/*
 * The rules that apply to every proposal, with new terms as the example. The files whose names begin with `four-eyes-`
 * test the other kinds of proposals.
 */
const shop = await startFourEyesShop();
after(() => shop.close());

const { database } = shop.app;
const { createOperator, createOperators, statusOf, actionsOn } = createProposalClient(shop);
const [first, second, third] = [
  await createOperator(),
  await createOperator(),
  await createOperator(),
];

/** Creates an account, and proposes a new fee for it as an operator. */
async function proposeTerms(basisPoints = 140) {
  const { account } = await shop.createMerchant({ status: "approved" });
  const path = `/operator/v1/accounts/${account}`;
  const body = { terms: { ...proposedTerms, fee_basis_points: basisPoints }, reason };
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
  const late = await createOperator();
  const rejected = await confirm(late, proposal.id);
  assert.deepEqual(errorOf(rejected).slice(0, 3), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
  ]);
  const { data } = (await late.send("GET", "/operator/v1/proposals")).body;
  const shown = data.find(({ id }: { id: string }) => id === proposal.id);
  assert.equal(shown.status, "expired");
  const deps = { database, clock: shop.clock };
  await Promise.all([expireOneProposal(deps), expireOneProposal(deps), expireOneProposal(deps)]);
  while (await expireOneProposal(deps));
  const entries = await database.read`
    select 1 from audit_log where action = 'proposal.expired' and object_id = ${proposal.id}
  `;
  assert.equal(entries.length, 1);
  const owner = await late.send("GET", `/operator/v1/accounts/${proposal.account}`);
  assert.notEqual(owner.body.account.terms.fee_basis_points, 140);
});

test("a proposal can be confirmed only while what the proposer saw is unchanged", async () => {
  const [one, other] = await createOperators();
  const { account } = await shop.createMerchant({ status: "approved" });
  const path = `/operator/v1/accounts/${account}/terms`;
  const propose = async (basisPoints: number) =>
    (
      await one.send("POST", path, {
        terms: { ...proposedTerms, fee_basis_points: basisPoints },
        reason,
      })
    ).body;
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

test("a proposal becomes obsolete when its object or proposer changes, with one audit entry", async () => {
  const [one, other, leaver] = [
    await createOperator(),
    await createOperator(),
    await createOperator(),
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
  const makeTerms = (fee_basis_points: number) => ({
    terms: { ...proposedTerms, fee_basis_points },
  });
  const stale = [
    await propose(one, `${path}/terms`, makeTerms(201)),
    await propose(one, `${path}/team/${member.id}/reset_second_factor`),
    await propose(one, "/operator/v1/operators", { email: newcomer.email }),
    await propose(one, `/operator/v1/operators/${leaver.id}/reset_second_factor`),
    await propose(leaver, `${path}/terms`, makeTerms(203)),
  ];
  const applied = await propose(one, `${path}/terms`, makeTerms(202));
  const deps = { database, clock: shop.clock };
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

test("a proposal of a former operator cannot be confirmed", async () => {
  const [one, other] = await createOperators();
  const { account } = await shop.createMerchant({ status: "approved" });
  const { body } = await one.send("POST", `/operator/v1/accounts/${account}/terms`, {
    terms: proposedTerms,
    reason,
  });
  await other.send("POST", `/operator/v1/operators/${one.id}/remove`, { reason });
  assert.equal((await confirm(other, body.id)).status, 400);
});
