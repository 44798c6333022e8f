import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import {
  type ServiceAuditAction,
  serviceAuditActionNames,
} from "@florin/contract/audit-actions.ts";
import { readConnection } from "../../src/acquiring/connections/connection.sql.ts";
import type { Connection } from "../../src/acquiring/connections/connection.ts";
import { recordCertification } from "../../src/admin/connections/certify-connection.ts";
import { endObsoleteProposals, expireOneProposal } from "../../src/admin/operator/proposal.jobs.ts";
import { archivePayments } from "../../src/admin/retention/archive-payments.ts";
import { recordService } from "../../src/app/record-service.ts";
import { type ConnectionId, uuidOf } from "../../src/core/ids.ts";
import { recordFailedSignIns } from "../../src/identity/people/failed-sign-in.jobs.ts";
import { prepareOperatorSetup } from "../../src/identity/people/operator-setup.ts";
import { measureOn } from "../../src/insights/metrics/hourly-metrics.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { updateCheckpoints } from "../../src/payments/balance/checkpoint.jobs.ts";
import { addAuthenticatorApp } from "../authenticator-app.ts";
import {
  acceptingAcquirer,
  assignmentTerms,
  createConnectionClient,
  hmacKey,
  sandboxAdyen,
} from "../connection.ts";
import { tokenMailedTo } from "../mailbox.ts";
import { insertNotificationInReview } from "../notification-in-review.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { settlementReport } from "../settlement-report.ts";
import { startShop } from "../shop.ts";
import { day, hour } from "../test-clock.ts";

const shop = await startShop({
  workers: false,
  fourEyes: true,
  testConnection: acceptingAcquirer,
});
after(() => shop.close());
const { database } = shop.app;
const deps = { database, clock: shop.clock };
const minute = 60_000;

const florin = join(import.meta.dirname, "../../../cli/florin.ts");
const run = promisify(execFile);
const command = (...arguments_: string[]) =>
  run(process.execPath, [florin, ...arguments_], { env: { ...process.env, ...shop.settings } });

const auth = (path: string, body: unknown) =>
  shop.send("POST", `/auth/v1${path}`, { body, headers: { "sec-fetch-site": "same-origin" } });

async function entriesOf(action: ServiceAuditAction): Promise<Record<string, unknown>[]> {
  const rows = await database.read<{ entry: string }>`
    select entry from audit_log
     where account_id = '00000000-0000-0000-0000-000000000000' and action = ${action} order by number
  `;
  return rows.map(({ entry }) => JSON.parse(entry));
}

const createAdminConsole = () => createPerson(shop, { operator: true, secondFactor: true });
const reason = "As agreed.";

/** Signs a person in with the password only. */
const signIn = ({ email, password }: TestPerson) => auth("/sign_in", { email, password });

async function propose(operator: TestPerson): Promise<string> {
  const { account } = await shop.createMerchant({ status: "approved" });
  const path = `/operator/v1/accounts/${account}/terms`;
  const terms = {
    fee_basis_points: 140,
    requests_per_second: null,
    amounts: { usd: { fixed_fee: 25, dispute_fee: 1_000 } },
  };
  return (await operator.send("POST", path, { terms, reason })).body.id;
}

async function decide(by: "proposer" | "another", operation: "confirm" | "dismiss"): Promise<void> {
  const [one, other] = [await createAdminConsole(), await createAdminConsole()];
  const id = await propose(one);
  const { status } = await (by === "proposer" ? one : other).send(
    "POST",
    `/operator/v1/proposals/${id}/${operation}`,
    {},
  );
  assert.equal(status, 200);
}

/** Creates an operator whose proposals another operator confirms immediately. */
async function createConfirmedOperator(): Promise<TestPerson> {
  const [operator, second] = [await createAdminConsole(), await createAdminConsole()];
  return {
    ...operator,
    async send(method, path, body) {
      const reply = await operator.send(method, path, body);
      if (reply.status !== 202) return reply;
      const confirmed = await second.send(
        "POST",
        `/operator/v1/proposals/${reply.body.id}/confirm`,
      );
      assert.equal(confirmed.status, 200, confirmed.text);
      return reply;
    },
  };
}

/** Returns an operator's client for connections. */
const asOperator = async () => createConnectionClient(shop, await createConfirmedOperator());

/** Changes the state of an active connection, or of a suspended one if the action is `resume`. */
async function changeActive(action: string): Promise<void> {
  const client = await asOperator();
  const { id } = await client.createActive();
  if (action === "resume") await client.change("POST", id, "suspend");
  await client.change("POST", id, action);
}

/** Assigns an account to a connection, then changes the assignment with the given method. */
async function changeAssignment(method?: "PATCH" | "POST"): Promise<void> {
  const operator = await createConfirmedOperator();
  const { id: connection } = (await createConnectionClient(shop, operator).create()).body;
  const { account } = await shop.createMerchant();
  const path = "/operator/v1/assignments";
  const terms = { account, connection, ...assignmentTerms };
  const { details } = (await operator.send("POST", path, terms)).body;
  const url = `${path}/${details.assignment}${method === "POST" ? "/end" : ""}`;
  if (method) await operator.send(method, url, { version: 1, reason });
}

/** Decides on a notification in review. */
async function decideOnNotification(decision: "apply" | "dismiss"): Promise<void> {
  const operator = await createConfirmedOperator();
  const { id: connection } = (await createConnectionClient(shop, operator).create()).body;
  const id = await insertNotificationInReview(shop, connection);
  const because = decision === "dismiss" ? { reason } : {};
  const url = `/operator/v1/connections/${connection}/notifications/${id}/${decision}`;
  assert.equal((await operator.send("POST", url, { version: 1, ...because })).status, 200);
}

/** For each audited action, an operation that causes it. Each operation writes one audit entry with that action. */
const occurrences: Readonly<Record<ServiceAuditAction, () => Promise<unknown>>> = {
  "service.started": () => recordService(auditDeps(), "service.started"),
  "service.stopped": () => recordService(auditDeps(), "service.stopped"),
  "service.keys_rotated": () => command("rotate-keys"),
  "service.backed_up": async () => {
    // Tested in cli/backup.api.test.ts, because the command requires the built-in Postgres.
    const { recordCommand } = await import("../../../cli/record-command.ts");
    await recordCommand(database, "service.backed_up", { bytes: 1 });
  },
  "service.payments_archived": async () => {
    // Two years ago, so that the payment can be archived now.
    const twoYears = 730 * day;
    shop.clock.advance(-twoYears);
    await shop.post("/charges", {
      amount: 1999,
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    const paidHour = Math.floor(shop.clock.now().getTime() / hour);
    shop.clock.advance(twoYears);
    // Payments are archived after the job has counted their hour.
    const scope = { account: shop.merchant.account, livemode: false };
    await database.transaction((tx) => measureOn(tx, scope, paidHour, shop.clock.now()));
    await updateCheckpoints(database);
    const directory = await mkdtemp(join(tmpdir(), "florin-archive-"));
    await archivePayments({ database, clock: shop.clock }, { directory, afterDays: 550 });
    await rm(directory, { recursive: true });
  },
  "service.verified": async () =>
    (await createAdminConsole()).send("POST", "/operator/v1/checker_runs", {}),
  "service.inquiries_restarted": async () => {
    const changes = { amount: 9_004_001, currency: "usd", payment_method_id: "pm_card_visa" };
    await shop.post("/charges", changes);
    await database.transaction(
      (tx) =>
        tx`update charges set pending_reason = 'manual_review', due_at = null where status = 'processing'`,
    );
    await (await createAdminConsole()).send("POST", "/operator/v1/unknown_outcomes/restart", {});
  },
  "operator.set_up": async () => {
    await database.transaction((tx) => tx`update people set operator = false where operator`);
    const token = await prepareOperatorSetup(deps);
    const grace = { email: "grace@example.com", name: "Grace", password: "a compiler, of 1952" };
    assert.equal((await auth("/operator_set_up", { ...grace, token })).status, 200);
  },
  "operator.added": async () => command("operator", "add", (await createPerson(shop)).email),
  "operator.removed": async () => {
    const [one, other] = [await createAdminConsole(), await createAdminConsole()];
    await one.send("POST", `/operator/v1/operators/${other.id}/remove`, { reason });
  },
  "operator.second_factor_reset": async () =>
    command("operator", "reset", (await createAdminConsole()).email),
  "operator.read": async () => {
    const operator = await createAdminConsole();
    const path = `/operator/v1/accounts/${shop.merchant.account}/application`;
    // The admin console requests the data of an open page repeatedly. Only the first request writes an entry.
    for (let reads = 0; reads < 3; reads++) await operator.send("GET", path);
  },
  "connection.created": async () => (await asOperator()).create(),
  "connection.updated": async () => {
    const client = await asOperator();
    await client.change("PATCH", (await client.create()).body.id, "", { name: "Another name" });
  },
  "connection.secrets_stored": async () => {
    const client = await asOperator();
    const secrets = { api_key: "a-key", hmac_key: hmacKey };
    await client.change("PUT", (await client.create()).body.id, "secrets", secrets);
  },
  "connection.tested": async () => (await asOperator()).createReady(),
  "connection.activated": async () => (await asOperator()).createActive(),
  "connection.certified": async () => {
    const client = await asOperator();
    const id = (await client.create(sandboxAdyen)).body.id as ConnectionId;
    const stored = await readConnection(database.read, id);
    assert.ok(await recordCertification(deps, stored?.connection as Connection, []));
  },
  "connection.report_uploaded": async () => {
    const operator = await createAdminConsole();
    const { id } = (await createConnectionClient(shop, operator).create(sandboxAdyen)).body;
    const url = `/operator/v1/connections/${id}/reports?file_name=report.csv`;
    const sent = await operator.send("POST", url, settlementReport, { "content-type": "text/csv" });
    assert.equal(sent.status, 201, sent.text);
  },
  "connection.suspended": () => changeActive("suspend"),
  "connection.resumed": () => changeActive("resume"),
  "connection.drained": () => changeActive("drain"),
  "connection.retired": async () => {
    const client = await asOperator();
    await client.change("POST", (await client.create()).body.id, "retire");
  },
  "acquirer_notification.retried": () => decideOnNotification("apply"),
  "acquirer_notification.dismissed": () => decideOnNotification("dismiss"),
  "assignment.created": () => changeAssignment(),
  "assignment.updated": () => changeAssignment("PATCH"),
  "assignment.ended": () => changeAssignment("POST"),
  "application.checklist_changed": async () => {
    const operator = await createAdminConsole();
    const { account } = await shop.createMerchant();
    const path = `/operator/v1/accounts/${account}/application/checklist`;
    const check = { item: "business_exists", checked: true };
    // The second request changes nothing and writes no entry.
    for (let sent = 0; sent < 2; sent++) {
      assert.equal((await operator.send("POST", path, check)).status, 200);
    }
  },
  "routing.changed": async () => {
    const operator = await createAdminConsole();
    const { account } = await shop.createMerchant();
    const path = `/operator/v1/accounts/${account}/routing_rules`;
    const rules = { version: 0, rules: [], cascade_declines: false };
    const replaced = await operator.send("PUT", path, { ...rules, reason });
    assert.equal(replaced.status, 200, replaced.text);
  },
  "audit_log.started": async () => {
    const { account } = await shop.createMerchant();
    const owner = await createPerson(shop, { account });
    // Signs in twice, because only the first entry of a log may emit `audit_log.started`.
    for (let signIns = 0; signIns < 2; signIns++) await signIn(owner);
  },
  "audit_log.read": async () => (await createAdminConsole()).send("GET", "/operator/v1/audit"),
  "person.signed_in": async () => signIn(await createPerson(shop, { operator: true })),
  "person.sign_in_failed": async () => {
    const person = await createPerson(shop);
    // Advances the clock to the start of a minute, because the failed sign-ins of each minute have a separate entry.
    shop.clock.advance(minute - (shop.clock.now().getTime() % minute));
    await signIn({ ...person, password: "not the password" });
    await auth("/sign_in", { email: "unregistered@example.com", password: "not a password" });
    shop.clock.advance(2 * minute);
    await Promise.all([recordFailedSignIns(deps), recordFailedSignIns(deps)]);
    while (await recordFailedSignIns(deps));
  },
  "person.password_changed": async () =>
    (await createPerson(shop)).send("POST", "/auth/v1/password", {
      password: "another one of 1987",
    }),
  "person.password_reset": async () => {
    const { email } = await createPerson(shop);
    await auth("/reset", { email });
    const token = await tokenMailedTo(shop, email);
    await auth("/reset/complete", { token, password: "another one of 1987" });
  },
  "person.second_factor_added": async () => addAuthenticatorApp(shop, await createPerson(shop)),
  "person.second_factor_removed": async () => {
    const person = await createPerson(shop);
    await addAuthenticatorApp(shop, person);
    await person.send("DELETE", "/auth/v1/totp");
  },
  "person.recovery_codes_replaced": async () => {
    const person = await createPerson(shop);
    await addAuthenticatorApp(shop, person);
    await person.send("POST", "/auth/v1/recovery_codes", {});
  },
  "proposal.created": async () => propose(await createAdminConsole()),
  "proposal.confirmed": () => decide("another", "confirm"),
  "proposal.key_rejected": async () => {
    const [one, other] = [await createAdminConsole(), await createAdminConsole()];
    const { id } = await (await asOperator()).createActive();
    const client = createConnectionClient(shop, one);
    const secrets = { hmac_key: "AB".repeat(32) };
    const { body: proposal } = await client.change("PUT", id, "secrets", secrets);
    const path = `/operator/v1/proposals/${proposal.id}/confirm`;
    assert.equal((await other.send("POST", path, { hmac_key: hmacKey })).status, 400);
  },
  "proposal.rejected": () => decide("another", "dismiss"),
  "proposal.withdrawn": () => decide("proposer", "dismiss"),
  "proposal.expired": async () => {
    while (await expireOneProposal(deps));
    const before = (await entriesOf("proposal.expired")).length;
    await database.transaction((tx) => tx`delete from operator_proposals where status = 'pending'`);
    assert.equal(before, 0);
    await propose(await createAdminConsole());
    shop.clock.advance(25 * hour);
    await Promise.all([expireOneProposal(deps), expireOneProposal(deps)]);
  },
  "proposal.obsolete": async () => {
    const proposer = await createAdminConsole();
    await propose(proposer);
    await database.transaction(
      (tx) => tx`update people set operator = false where id = ${uuidOf(proposer.id)}`,
    );
    await Promise.all([endObsoleteProposals(deps), endObsoleteProposals(deps)]);
  },
};

function auditDeps() {
  const keys = { currentKeyId: async () => "test.1" };
  return { ...deps, keys, process: { get: () => 7 } } as unknown as Parameters<
    typeof recordService
  >[0];
}

for (const action of serviceAuditActionNames) {
  test(`${action} writes exactly one audit entry`, async () => {
    const before = (await entriesOf(action)).length;
    await occurrences[action]();
    assert.equal((await entriesOf(action)).length - before, 1);
  });
}

test("failed sign-ins within a minute are one entry per network, which names the users and never contains the typed text", async () => {
  const [entry] = await entriesOf("person.sign_in_failed");
  const { ip, after: changes, object_id } = entry as Record<string, Record<string, unknown>>;
  assert.equal(ip, "127.0.0.1");
  assert.deepEqual(
    [changes?.attempts, changes?.wrong_password, changes?.unknown_addresses],
    [2, 2, 1],
    JSON.stringify(entry),
  );
  assert.deepEqual(changes?.people, [object_id]);
  assert.doesNotMatch(JSON.stringify(entry), /unregistered@|not a password|not the password/);
});

test("an attack from thousands of networks writes 21 entries a minute, and counts every attempt", async () => {
  const before = (await entriesOf("person.sign_in_failed")).length;
  const at = new Date(shop.clock.now().getTime() - 5 * minute);
  await database.transaction(
    (tx) => tx`
      insert into failed_sign_ins (minute, network, kind, person_id, attempts)
      select date_trunc('minute', ${at}::timestamptz), '2001:db8:' || to_hex(n) || '::/64', 'password', gen_random_uuid(), 2
        from generate_series(1, 3000) as n`,
  );
  while (await recordFailedSignIns(deps));
  const added = (await entriesOf("person.sign_in_failed")).slice(before);
  assert.equal(added.length, 21);
  const attempts = added.map(({ after: changes }) => (changes as { attempts: number }).attempts);
  assert.equal(
    attempts.reduce((sum, one) => sum + one, 0),
    6_000,
  );
});

test("operators can filter and download the service-wide log, and other users cannot read it", async () => {
  const operator = await createAdminConsole();
  const list = async (query: string) =>
    (await operator.send("GET", `/operator/v1/audit?${query}`)).body;
  const all = await list("limit=100");
  assert.equal(all.object, "list");
  const rotated = await list("action=service.keys_rotated");
  assert.deepEqual(
    rotated.data.map(({ action, actor }: { action: string; actor: { type: string } }) => [
      action,
      actor.type,
    ]),
    [["service.keys_rotated", "service"]],
  );
  const next = await list(`limit=2&starting_after=${all.data[1].id}`);
  assert.deepEqual(
    next.data.map(({ id }: { id: string }) => id),
    all.data.slice(2, 4).map(({ id }: { id: string }) => id),
  );
  const file = await operator.send("GET", "/operator/v1/audit.csv?action=person.signed_in");
  assert.equal(file.headers.get("x-content-type-options"), "nosniff");
  const lines = file.text.trim().split("\r\n");
  assert.match(lines[0] ?? "", /number.*action.*hash/);
  assert.equal(lines.length, 1 + (await entriesOf("person.signed_in")).length);
  const person = await createPerson(shop, { secondFactor: true });
  for (const path of ["/audit", "/audit.csv", "/proposals"]) {
    assert.equal((await person.send("GET", `/operator/v1${path}`)).status, 403);
  }
});

test("users without a sign-in for 90 days are reported, operators first", async () => {
  const service = await startShop({ workers: false });
  after(() => service.close());
  const [person, sleeper] = [
    await createPerson(service),
    await createPerson(service, { operator: true }),
  ];
  service.clock.advance(89 * 24 * hour);
  const inactive = async () => {
    const operator = await createPerson(service, { operator: true, secondFactor: true });
    return (await operator.send("GET", "/operator/v1/health")).body.inactive_people;
  };
  assert.deepEqual(await inactive(), { total: 0, data: [] });
  service.clock.advance(2 * 24 * hour);
  const { total, data } = await inactive();
  assert.deepEqual(
    [total, data.map(({ id, operator }: { id: string; operator: boolean }) => [id, operator])],
    [
      2,
      [
        [sleeper.id, true],
        [person.id, false],
      ],
    ],
  );
  const { email, password } = person;
  await service.send("POST", "/auth/v1/sign_in", {
    body: { email, password },
    headers: { "sec-fetch-site": "same-origin" },
  });
  assert.equal((await inactive()).total, 1);
});

test("the audit log of all tests in this file is valid, even after a key rotation", async () => {
  const { results } = await verify(database);
  const found = results.find(({ name }) => name === "audit_log_is_intact");
  assert.deepEqual(found?.sentences, []);
  assert.ok((found?.examined ?? 0) > serviceAuditActionNames.length);
});
