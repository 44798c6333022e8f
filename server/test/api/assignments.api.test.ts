import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type AccountId, newId, uuidOf } from "../../src/core/ids.ts";
import type { Reply } from "../client.ts";
import {
  acceptingAcquirer,
  assignmentTerms,
  createConnectionClient,
  createSecondDirectory,
} from "../connection.ts";
import { createPerson } from "../person.ts";
import { queueBehind } from "../queue-behind.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop({
  workers: false,
  testConnection: acceptingAcquirer,
  databasePool: 8,
});
after(() => shop.close());
const { database } = shop.app;

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const path = "/operator/v1/assignments";
const reason = "Agreed with the merchant.";

const { directory } = createSecondDirectory(shop);

const createAccount = async () => (await shop.createMerchant({ status: "approved" })).account;

async function assign(account: AccountId, connection: string, terms: object = {}) {
  return operator.send("POST", path, { account, connection, ...assignmentTerms, ...terms });
}

/** Returns the connections that a new charge of the account may use, by priority. */
async function connectionsFor(account: AccountId): Promise<string[]> {
  await directory.reload();
  return directory
    .routingOf(account)
    .candidates.filter(({ unavailable }) => unavailable === null)
    .map(({ assigned }) => assigned.connection.id);
}

test("an assignment is created, changed and ended", async () => {
  const account = await createAccount();
  const { id: connection } = await connections.createActive();
  const { status, body } = await assign(account, connection, {
    descriptor: "Fieldware* Lisbon",
    acquirer_bin: "455673",
    currencies: ["eur", "usd"],
    networks: ["visa", "cartes_bancaires"],
    countries: ["DE", "FR"],
    priority: 10,
  });
  assert.equal(status, 201);
  const { id, created, ...shown } = body;
  assert.match(id, /^asg_/);
  assert.deepEqual(shown, {
    object: "assignment",
    account,
    connection,
    merchant_account: "FieldwareECOM",
    mcc: "5941",
    descriptor: "Fieldware* Lisbon",
    acquirer_bin: "455673",
    currencies: ["eur", "usd"],
    networks: ["visa", "cartes_bancaires"],
    countries: ["DE", "FR"],
    priority: 10,
    state: "active",
    ended_at: null,
    version: 1,
  });
  const changed = await operator.send("PATCH", `${path}/${id}`, {
    version: 1,
    mcc: "5812",
    currencies: null,
    descriptor: null,
    reason,
  });
  const expected = { ...body, mcc: "5812", currencies: null, descriptor: null, version: 2 };
  assert.deepEqual(changed.body, expected);
  const ended = await operator.send("POST", `${path}/${id}/end`, { version: 2, reason });
  assert.deepEqual([ended.body.state, ended.body.version], ["ended", 3]);
  assert.ok(ended.body.ended_at >= created);
  for (const [method, subpath, version] of [
    ["PATCH", "", 3],
    ["POST", "/end", 3],
  ] as const) {
    const late = await operator.send(method, `${path}/${id}${subpath}`, { version, reason });
    assert.deepEqual(errorOf(late), [400, "invalid_request_error", "status_transition_invalid"]);
  }
});

test("a new charge uses the active assignments to active connections, in the order of their priority", async () => {
  const account = await createAccount();
  const [first, second, ended] = [
    await connections.createActive(),
    await connections.createActive(),
    await connections.createActive(),
  ];
  await assign(account, second.id, { priority: 2 });
  await assign(account, first.id, { priority: 1 });
  const { id } = (await assign(account, ended.id, { priority: 0 })).body;
  await operator.send("POST", `${path}/${id}/end`, { version: 1, reason });
  assert.deepEqual(await connectionsFor(account), [first.id, second.id]);
  assert.deepEqual(await connectionsFor(await createAccount()), []);

  await connections.change("POST", first.id, "suspend");
  assert.deepEqual(await connectionsFor(account), [second.id]);
  await connections.change("POST", second.id, "drain");
  assert.deepEqual(await connectionsFor(account), []);
  assert.ok(directory.connection(first.id), "a suspended connection serves existing charges");
  assert.ok(directory.connection(second.id), "a draining connection serves existing charges");
  assert.equal(directory.assignmentsAt(ended.id, "FieldwareECOM").length, 1);

  const sandbox = createSecondDirectory(shop, "sandbox").directory;
  await connections.change("POST", first.id, "resume");
  await sandbox.reload();
  assert.deepEqual(
    sandbox.routingOf(account).candidates.map(({ unavailable }) => unavailable),
    ["environment", "draining"],
    "a live connection takes no charges of a sandbox",
  );
});

test("400: a draining or retired connection cannot be assigned, and an assigned connection cannot be retired", async () => {
  const account = await createAccount();
  const { id } = await connections.createActive();
  const assignment = (await assign(account, id)).body;
  await connections.change("POST", id, "drain");
  const late = await assign(account, id);
  assert.deepEqual(errorOf(late), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
    "connection",
  ]);
  const early = await connections.change("POST", id, "retire");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "status_transition_invalid"]);
  await operator.send("POST", `${path}/${assignment.id}/end`, { version: 1, reason });
  assert.equal((await connections.change("POST", id, "retire")).body.state, "retired");
});

test("400: rejects malformed terms and unknown objects and names the parameter", async () => {
  const account = await createAccount();
  const { id: connection } = (await connections.create()).body;
  for (const [terms, code, param] of [
    [{ merchant_account: "a/b" }, "parameter_invalid", "merchant_account"],
    [{ mcc: "594" }, "parameter_invalid", "mcc"],
    [{ mcc: "59411" }, "parameter_invalid", "mcc"],
    [{ descriptor: "x".repeat(23) }, "parameter_invalid", "descriptor"],
    [{ descriptor: "Fieldware & Co" }, "parameter_invalid", "descriptor"],
    [{ acquirer_bin: "45567" }, "parameter_invalid", "acquirer_bin"],
    [{ currencies: [] }, "parameter_invalid_empty", "currencies"],
    [{ currencies: ["xxx"] }, "currency_unsupported", "currencies"],
    [{ networks: ["unknown"] }, "parameter_invalid", "networks[0]"],
    [{ countries: ["UK"] }, "country_code_invalid", "countries[0]"],
    [{ priority: 1001 }, "parameter_invalid", "priority"],
    [{ account: newId("acct", shop.clock.now()) }, "resource_missing", "account"],
    [{ connection: newId("con", shop.clock.now()) }, "resource_missing", "connection"],
    [{ connection: "con_1" }, "resource_missing", "connection"],
  ] as const) {
    const rejected = await assign(account, connection, terms);
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", code, param]);
  }
});

test("400: rejects the second of two changes that name the same version", async () => {
  const { id: connection } = (await connections.create()).body;
  const { id } = (await assign(await createAccount(), connection)).body;
  const replies = await Promise.all(
    [1, 2].map((priority) =>
      operator.send("PATCH", `${path}/${id}`, { version: 1, priority, reason }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
  const stale = await operator.send("POST", `${path}/${id}/end`, { version: 1, reason });
  assert.deepEqual(errorOf(stale), [400, "invalid_request_error", "resource_changed", "version"]);
});

test("403: every change requires a step-up, and no operator can assign connections to their own account", async () => {
  const { id: connection } = (await connections.create()).body;
  const account = await createAccount();
  const { id } = (await assign(account, connection)).body;
  const member = await createPerson(shop, { operator: true, secondFactor: true, account });
  const requests = [
    ["POST", "", { account, connection, ...assignmentTerms }],
    ["PATCH", `/${id}`, { version: 1, reason }],
    ["POST", `/${id}/end`, { version: 1, reason }],
  ] as const;
  for (const [method, subpath, body] of requests) {
    const rejected = await member.send(method, `${path}${subpath}`, body);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "own_account"]);
  }
  shop.clock.advance(11 * minute);
  for (const [method, subpath, body] of requests) {
    const rejected = await operator.send(method, `${path}${subpath}`, body);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "step_up_required"]);
  }
  shop.clock.advance(-11 * minute);
});

test("the list is filtered by account, connection and state, newest first", async () => {
  const account = await createAccount();
  const [one, other] = [(await connections.create()).body, (await connections.create()).body];
  const first = (await assign(account, one.id)).body;
  const second = (await assign(account, other.id)).body;
  await assign(await createAccount(), one.id);
  await operator.send("POST", `${path}/${first.id}/end`, { version: 1, reason });
  const listed = async (query: string) =>
    (await operator.send("GET", `${path}?${query}`)).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await listed(`account=${account}`), [second.id, first.id]);
  assert.deepEqual(await listed(`account=${account}&state=active`), [second.id]);
  assert.deepEqual(await listed(`account=${account}&connection=${one.id}`), [first.id]);
  assert.deepEqual(await listed(`account=${account}&starting_after=${second.id}`), [first.id]);
});

test("every change writes an entry in the service-wide audit log", async () => {
  const account = await createAccount();
  const { id: connection } = (await connections.create()).body;
  const { id } = (await assign(account, connection)).body;
  await operator.send("PATCH", `${path}/${id}`, { version: 1, mcc: "5812", reason });
  await operator.send("POST", `${path}/${id}/end`, { version: 2, reason });
  const query = `object_id=${id}&limit=10`;
  const { data } = (await operator.send("GET", `/operator/v1/audit?${query}`)).body;
  assert.deepEqual(
    data.map(({ action, reason, before, after }: Record<string, Record<string, unknown>>) => [
      action,
      reason,
      before?.mcc ?? null,
      after?.mcc,
      after?.state,
    ]),
    [
      ["assignment.ended", reason, "5812", "5812", "ended"],
      ["assignment.updated", reason, "5941", "5812", "active"],
      ["assignment.created", reason, null, "5941", "active"],
    ],
  );
  assert.equal(data[0].after.account, account);
});

/** Updates of an active assignment, by the constraint that each violates. */
const violations: Readonly<Record<string, string>> = {
  merchant_account_not_empty: "merchant_account = ''",
  mcc_form: "mcc = '12'",
  descriptor_form: "descriptor = 'Fieldware & Co'",
  acquirer_bin_form: "acquirer_bin = '1'",
  currencies_not_empty: "currencies = '{}'",
  networks_not_empty: "networks = '{}'",
  countries_not_empty: "countries = '{}'",
  priority_range: "priority = -1",
  state_known: "state = 'unknown'",
  ended_at_matches_state: "ended_at = now()",
  account_exists: "account_id = gen_random_uuid()",
  connection_exists: "connection_id = gen_random_uuid()",
};

test("the database rejects every state of an assignment that the code does not write", async () => {
  const { id: connection } = (await connections.create()).body;
  const { id } = (await assign(await createAccount(), connection)).body;
  const rejectedBy = async (change: string) => {
    const text = `update processor_assignments set ${change} where id = '${uuidOf(id)}'`;
    const update = database.transaction(async (tx) => {
      await tx`select set_config('florin.damage', 'on', true)`;
      await tx({ name: "", text });
    });
    return update.then(
      () => null,
      (error: { constraint?: string }) => error.constraint,
    );
  };
  for (const [constraint, change] of Object.entries(violations)) {
    assert.equal(await rejectedBy(change), `processor_assignments_${constraint}`, change);
  }
  const rows = await database.read<{ name: string }>`
    select conname as name from pg_constraint
     where conrelid = 'processor_assignments'::regclass and contype in ('c', 'f')
  `;
  assert.deepEqual(
    rows.map(({ name }) => name.replace("processor_assignments_", "")).sort(),
    Object.keys(violations).sort(),
  );
});

test("400: an account cannot be assigned to a connection that is retired at the same time, in either order", async () => {
  for (const first of ["retire", "assign"] as const) {
    const { id: connection } = (await connections.create()).body;
    const account = await createAccount();
    const requests = {
      retire: () => connections.change("POST", connection, "retire"),
      assign: () => assign(account, connection),
    };
    const order =
      first === "retire" ? (["retire", "assign"] as const) : (["assign", "retire"] as const);
    const replies = await queueBehind(database, {
      lock: (tx) =>
        tx`select 1 from processor_connections where id = ${uuidOf(connection)} for update`,
      statement: "processor_",
      requests: order.map((name) => requests[name]),
    });
    const [done, rejected] = replies as [Reply, Reply];
    assert.equal(done.status, first === "retire" ? 200 : 201, done.text);
    assert.equal(errorOf(rejected)[2], "status_transition_invalid", rejected.text);
    const { state } = (await connections.read(connection)).body;
    const { data } = (await operator.send("GET", `${path}?account=${account}`)).body;
    assert.deepEqual([state, data.length], first === "retire" ? ["retired", 0] : ["draft", 1]);
  }
});
