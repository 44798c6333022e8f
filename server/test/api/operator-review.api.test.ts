import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checklistItems } from "@florin/contract/operator.ts";
import { fillIn, pdf, reported } from "../application.ts";
import { mailTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const operator = await createPerson(shop, { operator: true, secondFactor: true });

/** Creates a merchant with a newly submitted application. */
async function createApplicant() {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account, secondFactor: true });
  await fillIn(owner);
  await owner.api("POST", "/application/submit", {});
  const path = `/operator/v1/accounts/${account}`;
  const admin = (operation: string, body: object = {}) =>
    operator.send("POST", `${path}/${operation}`, body);
  /** Sends a decision with the application's current version. */
  async function decide(operation: string, body: object = {}) {
    const { application } = (await operator.send("GET", `${path}/application`)).body;
    return admin(`application/${operation}`, { version: application.version, ...body });
  }
  async function checkAll() {
    for (const item of checklistItems)
      await admin("application/checklist", { item, checked: true });
  }
  return { account, key, owner, path, admin, decide, checkAll };
}

test("a submitted application can be returned with questions, answered and approved, which enables live mode", async () => {
  const { account, key, owner, decide, checkAll } = await createApplicant();
  assert.equal((await decide("begin_review")).body.application.status, "in_review");
  const requests = [{ section: "website", message: "Where do you say how to return things?" }];
  assert.equal(
    (await decide("request_information", { requests })).body.application.status,
    "more_information_needed",
  );

  const seen = (await owner.api("GET", "/application")).body;
  assert.deepEqual([seen.status, seen.requests], ["more_information_needed", requests]);
  assert.match((await mailTo(shop, owner.email)).text, /Where do you say how to return things\?/);
  await owner.api("POST", "/application/website", reported.website);
  assert.equal((await owner.api("POST", "/application/submit", {})).body.status, "in_review");

  await checkAll();
  const { body } = await decide("approve", { reason: "Everything is in order." });
  assert.equal((await mailTo(shop, owner.email)).subject, "Fieldware is approved for live mode");
  assert.deepEqual([body.application.status, body.account.status], ["approved", "approved"]);
  for (const livemode of [false, true]) {
    const { data } = (await owner.api("GET", "/notifications", undefined, livemode)).body;
    assert.deepEqual(
      data.map(({ type }: { type: string }) => type),
      ["application.approved", "application.information_requested"],
    );
  }
  assert.deepEqual(
    body.history.map(({ transition, text }: Record<string, unknown>) => [transition, text]),
    [
      ["approve", "Everything is in order."],
      ["resubmit", null],
      ["request_information", "website: Where do you say how to return things?"],
      ["begin_review", null],
      ["submit", null],
    ],
  );

  // Accounts are cached for a second.
  const { account: live } = { account };
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { secret } = await shop.issueKey(live, true);
  const charge = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" };
  const rejected = await shop.post("/charges", charge, { as: secret });
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "connector_not_configured"]);

  const events = (await shop.get("/events?type=account.updated&limit=100", { as: key })).body.data;
  assert.deepEqual(
    events.map(({ data }: { data: { object: Record<string, unknown> } }) => [
      data.object.application_status,
      data.object.status,
    ]),
    [
      ["approved", "approved"],
      ["in_review", "test_only"],
      ["more_information_needed", "test_only"],
      ["in_review", "test_only"],
      ["submitted", "test_only"],
    ],
  );
  const [approval, review] = events.map(
    ({ data }: { data: { previous_attributes: object } }) => data.previous_attributes,
  );
  const { version, ...before } = approval;
  assert.deepEqual(before, {
    application_status: "in_review",
    status: "test_only",
    approved_at: null,
  });
  assert.deepEqual(Object.keys(review).sort(), ["application_status", "version"]);
  assert.ok(version > review.version);
});

test("400: rejects an approval with open checklist items, and a new answer reopens its checklist item", async () => {
  const { owner, admin, decide, checkAll } = await createApplicant();
  await decide("begin_review");
  await checkAll();
  await admin("application/checklist", { item: "owners_known", checked: false });
  const rejected = await decide("approve", { reason: "In haste." });
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "application_incomplete",
    "checklist",
  ]);
  assert.match(rejected.body.error.message, /owners_known/);
  await decide("request_information", {
    requests: [{ section: "people", message: "Who owns the rest?" }],
  });
  const { body } = await owner.api("POST", "/application/submit", {});
  assert.equal(body.status, "in_review");
  const again = await decide("approve", { reason: "In haste." });
  assert.match(again.body.error.message, /business_exists, identity_matches/);
});

test("400: rejects a decision on an outdated version", async () => {
  const { decide, admin } = await createApplicant();
  const { version } = (await decide("begin_review")).body.application;
  const requests = [{ section: "people", message: "Who owns the rest?" }];
  const both = await Promise.all([
    admin("application/request_information", { version, requests }),
    admin("application/reject", { version, reason: "It sells what may not be sold." }),
  ]);
  const rejected = both.filter(({ status }) => status === 400);
  assert.equal(rejected.length, 1, "exactly one of two concurrent decisions is applied");
  assert.equal(rejected[0]?.body.error.code, "resource_changed");
});

test("400: rejects a decision on an application that has been answered and resubmitted since", async () => {
  const { owner, decide, admin } = await createApplicant();
  const { version } = (await decide("begin_review")).body.application;
  await decide("request_information", {
    requests: [{ section: "people", message: "Who owns the rest?" }],
  });
  await owner.api("POST", "/application/submit", {});
  const stale = await admin("application/reject", { version, reason: "As I read it an hour ago." });
  assert.deepEqual(errorOf(stale), [400, "invalid_request_error", "resource_changed"]);
});

test("a rejection shows the merchant the reason and keeps live mode closed, and the application can be reopened", async () => {
  const { owner, decide, path } = await createApplicant();
  await decide("begin_review");
  await decide("reject", { reason: "Lottery tickets may not be sold with cards." });
  const seen = (await owner.api("GET", "/application")).body;
  assert.deepEqual(
    [seen.status, seen.decision_note],
    ["rejected", "Lottery tickets may not be sold with cards."],
  );
  assert.equal((await operator.send("GET", path)).body.account.status, "test_only");
  assert.equal((await decide("reopen", { reason: "They sell no tickets now." })).status, 200);
  assert.equal((await owner.api("GET", "/application")).body.decision_note, null);
});

test("only operators can read notes, and the audit log contains no note text", async () => {
  const { owner, admin } = await createApplicant();
  const { body } = await admin("application/notes", {
    text: "Called them; the owner knew the answers.",
  });
  assert.equal(body.history[0].text, "Called them; the owner knew the answers.");
  assert.equal(body.history[0].by, operator.email);
  for (const path of ["/application", "/audit_log", "/events"]) {
    const { text } = await owner.api("GET", path);
    assert.ok(!text.includes("Called them"), path);
  }
  const entries = (await owner.api("GET", "/audit_log?action=application.note_added")).body.data;
  assert.equal(entries.length, 1);
});

test("every operation on an application is in the account's audit log with actor and reason", async () => {
  const { owner, decide, checkAll } = await createApplicant();
  await decide("begin_review");
  await checkAll();
  await decide("approve", { reason: "Everything is in order." });
  const { data } = (await owner.api("GET", "/audit_log?limit=100")).body;
  const actions = data.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.toReversed(), [
    ...Array(5).fill("application.saved"),
    ...Array(3).fill("application.document_added"),
    "application.submitted",
    "application.review_started",
    "account.approved",
  ]);
  const approved = data.find(({ action }: { action: string }) => action === "account.approved");
  assert.deepEqual(
    [approved.actor.type, approved.actor.name, approved.reason],
    ["operator", operator.email, "Everything is in order."],
  );
});

test("a document is always served as a download, and each access is logged", async () => {
  const { owner, path } = await createApplicant();
  const { documents } = (await owner.api("GET", "/application")).body;
  const file = await operator.send("GET", `${path}/application/documents/${documents[0].id}`);
  assert.equal(file.status, 200);
  assert.equal(file.text, pdf.toString());
  assert.equal(file.headers.get("content-type"), "application/pdf");
  assert.equal(file.headers.get("x-content-type-options"), "nosniff");
  assert.match(
    file.headers.get("content-disposition") ?? "",
    /^attachment; filename\*=UTF-8''identity\.pdf$/,
  );
  const read = await owner.api("GET", "/audit_log?action=application.document_read");
  assert.equal(read.body.data[0].object_id, documents[0].id);
});

test("the queue lists waiting applications oldest first, and decided ones on request", async () => {
  const first = await createApplicant();
  const second = await createApplicant();
  const queue = async (query = "") =>
    (await operator.send("GET", `/operator/v1/applications${query}`)).body.data.map(
      ({ account }: { account: string }) => account,
    );
  const waiting = await queue();
  assert.ok(waiting.indexOf(first.account) < waiting.indexOf(second.account));
  await first.decide("begin_review");
  await first.decide("reject", { reason: "No." });
  assert.ok(!(await queue()).includes(first.account));
  assert.ok((await queue("?status=rejected")).includes(first.account));
});
