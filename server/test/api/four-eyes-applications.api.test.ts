import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checklistItems } from "@florin/contract/operator.ts";
import { endObsoleteProposals } from "../../src/admin/operator/proposal.jobs.ts";
import { fillIn } from "../application.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { confirm, createProposalClient, reason, startFourEyesShop } from "../proposals.ts";

const shop = await startFourEyesShop();
after(() => shop.close());

const { database } = shop.app;
const { createOperators, statusOf } = createProposalClient(shop);

/** Submits the application of a new account, and begins its review. Returns functions that continue the review. */
async function beginReview(operator: TestPerson) {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account, secondFactor: true });
  await fillIn(owner);
  await owner.api("POST", "/application/submit", {});
  const path = `/operator/v1/accounts/${account}`;
  /** Sends a change of the application with its current version. */
  const change = async (action: string, body: object = {}, by = operator) => {
    const { version } = (await operator.send("GET", `${path}/application`)).body.application;
    return by.send("POST", `${path}/application/${action}`, { version, ...body });
  };
  await change("begin_review");
  return {
    change,
    approve: () => change("approve", { reason }),
    checkEverything: async () => {
      for (const item of checklistItems) {
        await operator.send("POST", `${path}/application/checklist`, { item, checked: true });
      }
    },
    statusNow: async () => (await operator.send("GET", path)).body.account.status,
  };
}

test("202: an application is approved only after a second operator confirms", async () => {
  const [one, other] = await createOperators();
  const { approve, checkEverything, statusNow } = await beginReview(one);
  const early = await approve();
  assert.equal(early.status, 400, "an operation that would be rejected cannot be proposed");
  await checkEverything();
  const approval = await approve();
  assert.deepEqual([approval.status, approval.body.kind], [202, "approve_application"]);
  assert.equal(await statusNow(), "test_only");
  assert.equal((await confirm(other, approval.body.id)).status, 200);
  assert.equal(await statusNow(), "approved");
});

test("a proposal to approve an application becomes obsolete when another operator requests more information", async () => {
  const [one, other] = await createOperators();
  const { change, approve, checkEverything } = await beginReview(one);
  await checkEverything();
  const { body: proposal } = await approve();
  const deps = { database, clock: shop.clock };
  await endObsoleteProposals(deps);
  assert.equal(await statusOf(proposal.id), "pending");
  const requests = [{ section: "business", message: "Which currencies?" }];
  const informationRequest = await change("request_information", { requests }, other);
  assert.equal(informationRequest.status, 200, informationRequest.text);
  await endObsoleteProposals(deps);
  assert.equal(await statusOf(proposal.id), "obsolete");
});
