import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { newId } from "../core/ids.ts";
import { systemTimers } from "../core/timers.ts";
import type { Assignment } from "./connections/assignment.ts";
import type { Connection } from "./connections/connection.ts";
import { createConnectionActivity } from "./connections/connection-activity.ts";
import type { ConnectionDirectory } from "./connections/connection-directory.ts";
import { AcquirerSecret } from "./connections/connection-secrets.ts";
import { createLiveAcquirers } from "./live-acquirers.ts";
import { compileRules, noRules } from "./routing/routing-rule.ts";

const start = new Date("2026-03-01T12:00:00Z");

const connection: Connection = {
  id: newId("con", start),
  processor: "adyen",
  name: "Adyen",
  environment: "sandbox",
  state: "active",
  endpointKey: "k".repeat(32),
  settings: { merchantAccount: "FieldwareECOM", livePrefix: null },
  publicKey: null,
  requestsPerSecond: null,
  secrets: { version: 1, configuredAt: start, previousUntil: null },
  test: { passedAt: start, secretsVersion: 1, problem: null },
  notification: { seenAt: start, secretsVersion: 1 },
  certification: null,
  version: 1,
};

const assignment: Assignment = {
  id: newId("asg", start),
  account: newId("acct", start),
  connection: connection.id,
  merchantAccount: "FieldwareECOM",
  mcc: "5941",
  descriptor: null,
  acquirerBin: null,
  currencies: null,
  networks: null,
  countries: null,
  priority: 1,
  state: "active",
  version: 1,
};

const secrets = {
  apiKey: new AcquirerSecret("a-key"),
  hmacKey: new AcquirerSecret("AB".repeat(32)),
};

/** Returns a directory in which the account has an assignment to each of the connections, in this order. */
function directoryOf(connections: readonly Connection[]): ConnectionDirectory {
  const assigned = connections.map((one) => ({
    assignment: { ...assignment, id: newId("asg", start), connection: one.id },
    connection: one,
    secrets,
    previousSecrets: null,
  }));
  return {
    assigned: () => assigned[0],
    routingOf: () => ({
      candidates: assigned.map((one) => ({ unavailable: null, assigned: one })),
      rules: compileRules(noRules),
    }),
  } as unknown as ConnectionDirectory;
}

/** Connects to the acquirer at this origin. */
function connect(origin: string, { responseTimeoutMs = 20_000, connections = [connection] } = {}) {
  const time = { now: start };
  const clock = { now: () => time.now };
  const activity = createConnectionActivity({
    clock,
    random: () => 0.5,
    onCredentialsRejected: () => assert.fail("no response arrived"),
    onRateLimited: () => assert.fail("the connection has no rate limit"),
  });
  const acquirers = createLiveAcquirers({
    directory: directoryOf(connections),
    activity,
    clock,
    timers: systemTimers,
    random: () => 0.5,
    idempotencySecret: Buffer.alloc(32),
    origins: { adyen: origin },
    responseTimeoutMs,
    defaultReturnUrl: () => "https://pay.example.com/return",
    onLateOutcome: () => assert.fail("no response arrived"),
    onCall: () => {},
  });
  const acquired = { assignmentId: assignment.id } as Parameters<typeof acquirers.of>[0];
  const processor = acquirers.of(acquired);
  assert(processor);
  const refund = () =>
    processor.operate({
      reference: newId("op", start),
      kind: "refund",
      charge: newId("ch", start),
      chargeReference: "993617895204576J",
      price: { amountMinor: 500, currency: "eur" },
    } as Parameters<typeof processor.operate>[0]);
  return { time, activity, acquirers, refund };
}

test("the outcome is unknown after the configured response timeout", async (t) => {
  // Accepts connections, and never responds.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const { acquirers, refund } = connect(origin, { responseTimeoutMs: 1_000 });
  t.after(async () => {
    silent.close();
    silent.closeAllConnections();
    await acquirers.close();
  });
  const outcome = await refund();
  assert.deepEqual(outcome, {
    kind: "unknown",
    why: "timeout",
    problem: "no response within 1000 ms",
  });
});

const inProgress = { errorCode: "704", message: "request already processed or in progress" };
const unauthorized = { errorCode: "000", message: "HTTP Status Response - Unauthorized" };

for (const later of [
  { name: "is rejected", status: 401, body: unauthorized },
  { name: "is rate-limited", status: 429, body: unauthorized },
  { name: "is not sent", status: null, body: {} },
]) {
  test(`the outcome is unknown if Adyen may be processing the request and its repetition ${later.name}`, async (t) => {
    let requests = 0;
    const server = createServer((request, response) => {
      request.resume();
      requests += 1;
      const { status, body } = requests === 1 ? { status: 422, body: inProgress } : later;
      response.writeHead(status ?? 500, {
        "content-type": "application/json",
        connection: "close",
      });
      response.end(JSON.stringify({ ...body, status, errorType: "internal" }));
      if (later.status === null) server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { acquirers, refund } = connect(`http://127.0.0.1:${port}`);
    t.after(async () => {
      server.close();
      await acquirers.close();
    });
    assert.equal((await refund()).kind, "unknown");
    assert.equal(requests, later.status === null ? 1 : later.status === 429 ? 3 : 2);
  });
}

test("requests that an open circuit rejects do not keep it open", async () => {
  // Nothing listens on this port, so no request is sent.
  const { time, activity, acquirers, refund } = connect("http://127.0.0.1:1");
  after(() => acquirers.close());

  for (let times = 0; times < 10; times++) assert.equal((await refund()).kind, "not_sent");
  const { circuit, outcomes } = activity.healthOf(connection.id);
  assert.deepEqual(outcomes, { not_sent: 5 }, "only the requests before the circuit opened");
  assert.deepEqual([circuit.failures, circuit.openUntil], [5, new Date(start.getTime() + 1_000)]);
  time.now = new Date(start.getTime() + 1_000);
  await refund();
  assert.equal(activity.healthOf(connection.id).circuit.failures, 6, "the probe was sent");
});

test("a network token is routed to an acquirer that accepts it, including on failover", (t) => {
  const settings = { merchantAccount: "acct_1Fieldware", livePrefix: null };
  const stripe = { ...connection, id: newId("con", start), processor: "stripe", settings } as const;
  const both = connect("http://127.0.0.1:1", { connections: [stripe, connection] }).acquirers;
  const onlyStripe = connect("http://127.0.0.1:1", { connections: [stripe] }).acquirers;
  t.after(() => Promise.all([both.close(), onlyStripe.close()]));
  const scope = { account: assignment.account, livemode: true };
  const price = { amountMinor: 1999, currency: "eur" } as const;
  const networks = { available: ["visa"], preferred: null } as const;
  const card = { networks, country: null, funding: "debit" };
  const payment = { key: newId("ch", start), price, card, metadata: {} };
  const token = { ...payment, card: { ...card, isNetworkToken: true } };

  assert.equal(both.choose(scope, payment)?.processor.name, "stripe");
  assert.equal(both.choose(scope, token)?.processor.name, "adyen");
  assert.equal(both.chooseNext(scope, token, [])?.name, "adyen");
  assert.ok(both.acceptedNetworks(scope, price, "network_token").includes("visa"));
  assert.equal(onlyStripe.choose(scope, token), null);
  assert.deepEqual(onlyStripe.acceptedNetworks(scope, price, "network_token"), []);
  assert.ok(onlyStripe.acceptedNetworks(scope, price, "card").includes("visa"));
});
