import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checklistItems } from "@florin/contract/operator.ts";
import { type AccountId, uuidOf } from "../../src/core/ids.ts";
import { browserAddress } from "../../src/identity/people/browser-address.ts";
import { prepareOperatorSetup } from "../../src/identity/people/operator-setup.ts";
import { documentKinds, fillIn, pdf, reported, uploadDocument } from "../application.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import type { Reply } from "../client.ts";
import { acceptingAcquirer, assignmentTerms, createConnectionClient } from "../connection.ts";
import { createDevice } from "../device.ts";
import { evidencePdf } from "../evidence-file.ts";
import { pngOf } from "../image.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { insertNotificationInReview } from "../notification-in-review.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { confirm, dismiss, proposedTerms } from "../proposals.ts";
import { settlementReport } from "../settlement-report.ts";
import { type Shop, type ShopOptions, startShop, until } from "../shop.ts";
import { day, hour } from "../test-clock.ts";
import { createAuthority } from "../wallet-certificates.ts";
import { createWalletClient, keysOf } from "../wallet-operator.ts";

/*
 * Sends a request of a signed-in person to every route that is not a GET, and checks that each request that succeeds
 * writes an audit entry. A new route fails this test until it writes an entry or is listed below.
 */

/** The routes that write no audit entry, and the reasons (docs/operating/audit-log.md). */
const withoutEntry: Readonly<Record<string, string>> = {
  "POST /api/v1/charges": "decision 26: charges are created in group commits",
  "POST /api/v1/checkout_sessions": "decision 26: sessions are created in group commits",
  "POST /api/v1/decisions": "evaluates the risk of a payment that is not made yet",
  "POST /api/v1/rule_trials": "changes nothing",
  "POST /api/v1/reconciliations": "repeats the comparison that the service runs every day",
  "POST /api/v1/test_helpers/clock/advance": "simulates the passing of time in test mode",
  "POST /api/v1/test_helpers/disputes": "simulates the card network in test mode",
  "POST /api/v1/test_helpers/disputes/:id/close": "simulates the card network in test mode",
  "POST /api/v1/test_helpers/payouts/:id/fail": "simulates the bank in test mode",
  "POST /api/v1/test_helpers/refunds/:id/fail": "simulates the bank in test mode",
  "POST /api/v1/saved_views": "stores the filters of a list",
  "POST /api/v1/saved_views/:id": "stores the filters of a list",
  "DELETE /api/v1/saved_views/:id": "deletes the filters of a list",
  "POST /api/v1/notifications/read": "marks the person's own notifications as read",
  "POST /api/v1/notification_preferences": "a person's own preference",
  "POST /auth/v1/session/renew": "replaces the token of the person's own session",
  "POST /auth/v1/sign_out": "ends the person's own session",
  "POST /auth/v1/sessions/sign_out_others": "ends the person's own sessions",
  "DELETE /auth/v1/sessions/:id": "ends the person's own session",
  "POST /auth/v1/totp": "the secret takes effect with `POST /auth/v1/totp/confirm`",
  "POST /auth/v1/passkeys/register_options": "creates a challenge",
  "POST /auth/v1/step_up": "checks credentials. Failures are recorded",
  "POST /auth/v1/step_up/passkey_options": "creates a challenge",
  "POST /auth/v1/step_up/passkey": "checks credentials. Failures are recorded",
  "POST /operator/v1/routing/simulate": "changes nothing",
};

/** The number of audit entries that each request wrote, by route. */
const written = new Map<string, number[]>();

const people = ["key_or_session", "session", "operator_session"];
const routesOf = (shop: Shop) =>
  shop.app.servedRoutes.filter(
    ({ method, access }) =>
      !["GET", "HEAD"].includes(method) && people.includes(access?.authentication ?? ""),
  );

/** Returns the shop with a `send` that counts the audit entries of each request of a signed-in person. */
function counting(shop: Shop): Shop {
  const patterns = routesOf(shop)
    .map(({ method, url }) => ({
      name: `${method} ${url}`,
      pattern: new RegExp(`^${method} ${url.replaceAll(/:\w+/g, "[^/?]+")}(\\?|$)`),
    }))
    // The path of a route without parameters can also match the pattern of another route.
    .toSorted((one, other) => one.name.split(":").length - other.name.split(":").length);

  async function countEntries(): Promise<number> {
    const [row] = await shop.app.database.read<{ count: number }>`select count(*) from audit_log`;
    return Number(row?.count);
  }

  return {
    ...shop,
    async send(method, path, sent) {
      const route = patterns.find(({ pattern }) => pattern.test(`${method} ${path}`));
      if (!route || !sent?.headers?.cookie) return shop.send(method, path, sent);
      const before = await countEntries();
      const reply = await shop.send(method, path, sent);
      if (reply.status < 300) {
        const counts = written.get(route.name) ?? [];
        written.set(route.name, [...counts, (await countEntries()) - before]);
      }
      return reply;
    },
  };
}

async function startCountingShop(options: ShopOptions): Promise<Shop> {
  const shop = await startShop(options);
  after(() => shop.close());
  return counting(shop);
}

const shop = await startCountingShop({
  testConnection: acceptingAcquirer,
  walletsHost: "localhost",
  // Payouts stay in transit until the test lets one of them fail.
  acquirer: { resolveAfterMs: hour },
});
const idle = await startCountingShop({ fourEyes: true, workers: false });
const { database } = shop.app;
const reason = "Agreed with the merchant.";

function succeeded(reply: Reply): Reply["body"] {
  assert.ok(reply.status < 300, reply.text);
  return reply.body;
}

/** Returns a client that fails the test if a request is rejected. */
function clientOf(person: TestPerson, livemode = false) {
  return {
    post: async (path: string, body: object = {}) =>
      succeeded(await person.api("POST", path, body, livemode)),
    remove: async (path: string) =>
      succeeded(await person.api("DELETE", path, undefined, livemode)),
    upload: async (path: string, file: Buffer, type: string) =>
      succeeded(await person.api("POST", path, file, livemode, { "content-type": type })),
    send: async (method: string, path: string, body: object | undefined = {}) =>
      succeeded(await person.send(method, path, body)),
  };
}

const createOperator = () => createPerson(shop, { operator: true, secondFactor: true });
const memberOf = async (owner: TestPerson, person: TestPerson): Promise<string> => {
  const { data } = (await owner.api("GET", "/members?limit=100")).body;
  return data.find((one: { person_id: string }) => one.person_id === person.id).id;
};

async function useMerchantApi(account: AccountId): Promise<void> {
  const owner = await createPerson(shop, { account });
  const { post, remove, upload } = clientOf(owner);
  const visa = { amount: 5_000, currency: "usd", payment_method_id: "pm_card_visa" };

  const charge = await post("/charges", visa);
  await post(`/charges/${charge.id}`, { metadata: { order: "7" } });
  const refund = await post("/refunds", { charge_id: charge.id, amount: 100 });
  await post(`/test_helpers/refunds/${refund.id}/fail`);
  await post("/receipts", { charge_id: charge.id, email: owner.email });
  for (const action of ["capture", "cancel"]) {
    const held = await post("/charges", { ...visa, capture_method: "manual" });
    await post(`/charges/${held.id}/${action}`);
  }
  const { session } = await post("/checkout_sessions", { amount: 5_000, currency: "usd" });
  await post(`/checkout_sessions/${session.id}/expire`);

  await post("/decisions", visa);
  for (const verdict of ["approve", "decline"]) {
    const risky = { ...visa, payment_method_id: "pm_card_riskLevelElevated" };
    await post(`/decisions/${(await post("/charges", risky)).decision_id}/${verdict}`);
  }
  await post("/rule_trials", { expression: "amount > 100" });
  const rule = await post("/rules", { expression: "false", outcome: "decline" });
  await post(`/rules/${rule.id}`, { status: "disabled" });
  await remove(`/rules/${rule.id}`);
  const blocked = { list: "block", attribute: "email", value: "eve@example.com" };
  await remove(`/list_entries/${(await post("/list_entries", blocked)).id}`);

  for (const step of ["answer", "accept", "close"] as const) {
    const { id } = await post("/charges", visa);
    const dispute = await post("/test_helpers/disputes", { charge_id: id });
    if (step === "accept") await post(`/disputes/${dispute.id}/accept`);
    if (step === "close")
      await post(`/test_helpers/disputes/${dispute.id}/close`, { outcome: "won" });
    if (step !== "answer") continue;
    const evidence = { uncategorized_text: "The parcel was delivered." };
    await post(`/disputes/${dispute.id}/evidence_draft`, { version: 0, evidence });
    const files = `/dispute_files?dispute_id=${dispute.id}&file_name=delivery.pdf`;
    const file = await upload(files, evidencePdf, "application/pdf");
    await remove(`/dispute_files/${file.id}`);
    await post(`/disputes/${dispute.id}/evidence`, evidence);
  }

  await post("/test_helpers/clock/advance", { seconds: (3 * day) / 1_000 });
  const payout = await post("/payouts", { amount: 1_000, currency: "usd" });
  await until(
    async () => (await owner.api("GET", `/payouts/${payout.id}`)).body,
    ({ status }) => status === "in_transit",
  );
  await post(`/test_helpers/payouts/${payout.id}/fail`);
  await post("/reconciliations", { day: shop.clock.now().toISOString().slice(0, 10) });

  const customer = await post("/customers", { name: "Ada" });
  await post(`/customers/${customer.id}`, { name: "Grace" });
  const card = await post("/payment_methods/pm_card_visa/attach", { customer_id: customer.id });
  await post(`/payment_methods/${card.id}/detach`);
  await remove(`/customers/${customer.id}`);

  const key = await post("/api_keys", { name: "Server" });
  await post(`/api_keys/${key.id}`, { name: "Shop" });
  const rolled = await post(`/api_keys/${key.id}/roll`);
  await post(`/api_keys/${rolled.id}/revoke`);

  const view = await post("/saved_views", {
    list: "charges",
    name: "Mine",
    query: "status=failed",
  });
  await post(`/saved_views/${view.id}`, { name: "Failed" });
  await remove(`/saved_views/${view.id}`);
  await post("/notifications/read");
  await post("/notification_preferences", { disputes: false });
}

/** Uses the service without workers, because a delivery cannot be resent while a worker sends it. */
async function useWebhooks(): Promise<void> {
  const owner = await createPerson(idle);
  const { post, remove } = clientOf(owner);
  const path = "/webhook_endpoints";
  const { id } = await post(path, { url: "http://127.0.0.1:9/" });
  await post(`${path}/${id}`, { description: "Orders" });
  await post(`${path}/${id}/roll_secret`);
  await post(`${path}/${id}/ping`);
  await post(`${path}/${id}/sample_event`, { type: "refund.failed" });
  await post(`${path}/${id}/resend`, { since: 0 });
  const [delivery] = (await owner.api("GET", `${path}/${id}/deliveries`)).body.data;
  await post(`/webhook_deliveries/${delivery.id}/resend`);
  await remove(`${path}/${id}`);
}

async function changeTeam(account: AccountId): Promise<void> {
  const owner = await createPerson(shop, { account });
  const { post, remove } = clientOf(owner);
  const closed = await post("/invitations", { email: "closed@example.com", role: "support" });
  await post(`/invitations/${closed.id}/revoke`);
  const guest = await createPerson(shop, { account: shop.otherMerchant.account });
  await post("/invitations", { email: guest.email, role: "support" });
  const token = await tokenMailedTo(shop, guest.email);
  await clientOf(guest).send("POST", "/auth/v1/invitations/accept", { token });
  const member = await memberOf(owner, guest);
  await post(`/members/${member}`, { role: "developer" });
  await remove(`/members/${member}`);
  await clientOf(await createPerson(shop, { account, role: "support" })).post("/team/leave");
}

async function changeOwnCredentials(): Promise<void> {
  const person = await createPerson(shop);
  const { send } = clientOf(person);
  const auth = (path: string, body: object = {}, method = "POST") =>
    send(method, `/auth/v1${path}`, body);
  await addAuthenticatorApp(shop, person);
  const device = createDevice(browserAddress(shop.url));
  const { challenge } = await auth("/passkeys/register_options");
  await auth("/passkeys", { name: "Laptop", credential: device.register(challenge) });
  const options = await auth("/step_up/passkey_options");
  await auth("/step_up/passkey", { credential: device.authenticate(options.challenge) });
  await auth("/recovery_codes");
  await auth("/password", { password: "another long password 1" });
  await auth(`/passkeys/${device.id}`, undefined, "DELETE");
  await auth("/totp", undefined, "DELETE");
  await auth("/step_up", { password: "another long password 1" });
  await auth("/session/renew");
  await shop.send("POST", "/auth/v1/sign_in", {
    headers: { "sec-fetch-site": "same-origin" },
    body: { email: person.email, password: "another long password 1" },
  });
  const { data } = await auth("/sessions", undefined, "GET");
  const other = data.find(({ current }: { current: boolean }) => !current);
  await auth(`/sessions/${other.id}`, undefined, "DELETE");
  await auth("/sessions/sign_out_others");
  await auth("/sign_out");
}

async function goLive(account: AccountId): Promise<void> {
  const owner = await createPerson(shop, { account, secondFactor: true });
  const { post, remove, upload } = clientOf(owner);
  await post("/account", { payout_schedule: "daily" });
  await post("/account/profile", { name: "Fieldware & Daughters" });
  await upload("/account/logo", pngOf(40, 40), "image/png");
  await remove("/account/logo");
  await fillIn(owner);
  const { documents } = (await owner.api("GET", "/application")).body;
  await remove(`/application/documents/${documents[0].id}`);
  succeeded(await uploadDocument(owner, pdf, { kind: documentKinds[0] }));
  await post("/application/submit");

  const operator = clientOf(await createOperator());
  const path = `/operator/v1/accounts/${account}`;
  const decide = async (operation: string, body: object = {}) => {
    const { application } = await operator.send("GET", `${path}/application`, undefined);
    const { version } = application;
    return operator.send("POST", `${path}/application/${operation}`, { version, ...body });
  };
  await decide("begin_review");
  await operator.send("POST", `${path}/application/notes`, { text: "Called the owner." });
  const requests = [{ section: "website", message: "Where are your terms?" }];
  await decide("request_information", { requests });
  await post("/application/website", reported.website);
  await post("/application/submit");
  await decide("reject", { reason });
  await decide("reopen", { reason });
  for (const item of checklistItems) {
    await operator.send("POST", `${path}/application/checklist`, { item, checked: true });
  }
  await decide("approve", { reason });

  const rule = await post("/rules", { expression: "amount > 50000", outcome: "review" });
  await clientOf(owner, true).post("/settings_copy", { keys: [rule.id] });
  await operator.send("POST", `${path}/terms`, { terms: proposedTerms, reason });
  const member = await createPerson(shop, { account });
  await addAuthenticatorApp(shop, member);
  await operator.send("POST", `${path}/team/${member.id}/reset_second_factor`, { reason });
  for (const transition of ["suspend", "reinstate", "close"]) {
    await operator.send("POST", `${path}/${transition}`, { reason });
  }
}

async function operateConnections(account: AccountId): Promise<void> {
  const operator = await createOperator();
  const { send } = clientOf(operator);
  const connections = createConnectionClient(shop, operator);
  const { id } = await connections.createActive();
  const path = `/operator/v1/connections/${id}`;
  succeeded(await connections.change("PATCH", id, "", { name: "Adyen" }));
  succeeded(
    await operator.send("POST", `${path}/reports?file_name=report.csv`, settlementReport, {
      "content-type": "text/csv",
    }),
  );
  // Uses another connection, because a connection with unapplied notifications cannot be retired.
  const notified = (await connections.create()).body.id;
  for (const decision of ["apply", "dismiss"]) {
    const notification = await insertNotificationInReview(shop, notified);
    const because = decision === "dismiss" ? { reason } : {};
    const url = `/operator/v1/connections/${notified}/notifications/${notification}/${decision}`;
    await send("POST", url, { version: 1, ...because });
  }
  const assignments = "/operator/v1/assignments";
  const assigned = await send("POST", assignments, { account, connection: id, ...assignmentTerms });
  const one = `${assignments}/${assigned.id}`;
  const changed = await send("PATCH", one, { version: assigned.version, mcc: "5812", reason });
  await send("PUT", `/operator/v1/accounts/${account}/routing_rules`, {
    version: 0,
    rules: [],
    cascade_declines: false,
    reason,
  });
  const payment = { amount: 4_200, currency: "eur", card_network: "visa" };
  await send("POST", "/operator/v1/routing/simulate", { account, payment });
  await send("POST", `${one}/end`, { version: changed.version, reason });
  for (const transition of ["suspend", "resume", "drain", "retire"]) {
    succeeded(await connections.change("POST", id, transition));
  }

  const wallets = createWalletClient(operator, createAuthority("Simulated authority"));
  succeeded(await wallets.save(account, "apple_pay"));
  const key = await wallets.activateCertifiedKey(account, "merchant_identity");
  succeeded(await wallets.change(account, "apple_pay", key, "remove"));
  assert.equal(keysOf(await wallets.read(account, "apple_pay"), "merchant_identity").length, 0);
}

async function operateService(account: AccountId): Promise<void> {
  const { send } = clientOf(await createOperator());
  await send("POST", "/operator/v1/checker_runs");
  for (const step of ["restart", "fail"]) {
    const key = (await shop.issueKey(account, false)).secret;
    const unknown = { amount: 9_004_001, currency: "usd", payment_method_id: "pm_card_visa" };
    const charge = succeeded(await shop.post("/charges", unknown, { as: key })).id;
    await database.transaction(
      (tx) => tx`
        update charges set pending_reason = 'manual_review', due_at = null where id = ${uuidOf(charge)}`,
    );
    await send(
      "POST",
      step === "restart"
        ? "/operator/v1/unknown_outcomes/restart"
        : `/operator/v1/accounts/${account}/charges/${charge}/fail`,
      step === "restart" ? {} : { reason },
    );
  }
  const colleague = await createPerson(shop);
  await send("POST", "/operator/v1/operators", { email: colleague.email, reason });
  await addAuthenticatorApp(shop, colleague);
  const path = `/operator/v1/operators/${colleague.id}`;
  await send("POST", `${path}/reset_second_factor`, { reason });
  await send("POST", `${path}/remove`, { reason });
}

async function decideOnProposals(): Promise<void> {
  const { app, clock } = idle;
  const token = await prepareOperatorSetup({ database: app.database, clock });
  const first = await createPerson(idle, { secondFactor: true });
  const { send } = clientOf(first);
  await send("POST", "/auth/v1/operator_set_up/join", { token });
  const second = await createPerson(idle, { operator: true, secondFactor: true });
  for (const decide of [confirm, dismiss]) {
    const { account } = await idle.createMerchant({ status: "approved" });
    const terms = { terms: proposedTerms, reason };
    const { id } = await send("POST", `/operator/v1/accounts/${account}/terms`, terms);
    succeeded(await decide(second, id));
  }
}

test("every change by a signed-in person writes an audit entry, or is listed with the reason why not", async () => {
  const { account } = await shop.createMerchant();
  await useMerchantApi(account);
  await useWebhooks();
  await changeTeam(account);
  await changeOwnCredentials();
  await goLive(account);
  const approved = (await shop.createMerchant({ status: "approved" })).account;
  await operateConnections(approved);
  await operateService(approved);
  await decideOnProposals();

  const names = routesOf(shop).map(({ method, url }) => `${method} ${url}`);
  const untested = names.filter((name) => !written.has(name));
  assert.deepEqual(untested, [], "These routes were not requested.");
  const unrecorded = names.filter((name) => written.get(name)?.includes(0));
  assert.deepEqual(unrecorded.toSorted(), Object.keys(withoutEntry).toSorted());
});
