import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "@florin/server/core/ids.ts";
import { callApi } from "../call-api.ts";
import { chargeBody, chargesPath } from "../charge-request.ts";
import type { Environment, LiveServer } from "../environment.ts";
import { adyenAccount, type SavedCardMerchant } from "../live-mode.ts";
import type { Load } from "../load/load.ts";
import { registerEndpoints } from "../many-merchants.ts";
import { type Measurement, measure, type Run, type Storage } from "../measurement.ts";
import type { Child } from "../processes/child.ts";
import type { Received } from "../processes/receiver.ts";
import type { Merchant, Server } from "../processes/server-messages.ts";
import {
  type Accounts,
  countBacklog,
  countRows,
  type DatabaseState,
  findViolations,
  readDatabaseState,
  untilNoneInFlight,
  untilNotifications,
} from "../row-counts.ts";
import type { Scenario } from "./scenario.ts";

/** Durable charges: `POST /api/v1/charges` through the whole server. Every row is counted afterwards. */
export const chargeScenarios: readonly Scenario[] = [
  ...[64, 256].map((connections) => ({
    name: `charges alone, ${connections} connections`,
    measure: async (environment: Environment, run: Run) =>
      measureCharges(environment, await environment.server(), connections, run),
  })),
  ...[64, 256].map((connections) => ({
    name: `whole system, ${connections} connections`,
    measure: async (environment: Environment, run: Run) => {
      const server = await environment.server();
      return measureWholeSystem(environment, server, [server.listener], connections, run);
    },
  })),
  {
    name: "charges alone with five rules, 256 connections",
    measure: async (environment, run) => {
      const server = await environment.server();
      return withRules(server, () => measureCharges(environment, server, 256, run));
    },
  },
  ...[0.01, 1].map((ratio) => ({
    name: `charges alone with traces of ${ratio * 100} %, 256 connections`,
    measure: async (environment: Environment, run: Run) =>
      measureCharges(environment, await environment.tracedServer(ratio), 256, run),
  })),
  {
    name: "charges, open loop at 3,000/s",
    measure: async (environment, run) =>
      measureCharges(environment, await environment.server(), 128, run, { rate: 3_000 }),
  },
];

/**
 * Durable charges of a saved card in live mode, through the fake of Adyen in another process. For comparison, the same
 * charges in test mode, through the simulator. The fake sends a notification of each payment, which the server stores
 * and compares with the charge. The simulator sends no notifications for these charges, so the scenarios that are
 * compared with the simulator hold the notifications until the load has ended. The scenario with notifications sends
 * each one immediately, so the fake and the notifications use CPU time of the same cores during the load. In each
 * scenario, every notification must arrive.
 */
export const liveScenarios: readonly Scenario[] = [
  {
    name: "charges of a saved card, 256 connections",
    measure: async (environment, run) => {
      const server = await environment.liveServer(0);
      return measureSavedCard(environment, server, server.test, 256, run);
    },
  },
  {
    name: "live charges, acquirer responds after 0 ms, 256 connections",
    measure: (environment, run) => measureLiveCharges(environment, 0, 256, run),
  },
  {
    name: "live charges with notifications, 256 connections",
    measure: (environment, run) => measureLiveCharges(environment, 0, 256, run, "automatic"),
  },
  {
    name: "live charges, acquirer responds after 150 ms, 2000 connections",
    once: true,
    measure: (environment, run) => measureLiveCharges(environment, 150, 2_000, run),
  },
];

async function measureLiveCharges(
  environment: Environment,
  responseDelayMs: number,
  connections: number,
  run: Run,
  delivery: "held" | "automatic" = "held",
): Promise<Measurement> {
  const server = await environment.liveServer(responseDelayMs);
  await controlFake(server, "PUT", accountPath, { delivery });
  return measureSavedCard(environment, server, server.live, connections, run);
}

async function measureSavedCard(
  environment: Environment,
  server: LiveServer,
  merchant: SavedCardMerchant,
  connections: number,
  run: Run,
): Promise<Measurement> {
  const { account, livemode, paymentMethodId } = merchant;
  const started = new Date();
  const paidBefore = await countPayments(server);
  const load = {
    ...loadOf(server.url, [merchant], connections, run),
    body: `{"amount":#,"currency":"usd","payment_method_id":"${paymentMethodId}","off_session":true}`,
  };
  let approvals = 0;
  let backlogMs = 0;
  const untilNotified = async () => {
    const loadEnded = performance.now();
    // Some payments end after the load, so their notifications must not be held.
    await controlFake(server, "PUT", accountPath, { delivery: "automatic" });
    await controlFake(server, "POST", `${accountPath}/send_held`);
    const accounts = { accounts: [account], livemode };
    approvals = (await countLastPayments(server, accounts, started)) - paidBefore;
    await untilNotifications(server.databaseUrl, started, approvals, timeoutMs);
    backlogMs = performance.now() - loadEnded;
  };
  const options = livemode ? { afterLoad: untilNotified } : {};
  const measured = await measure(environment, server.pid, load, options);
  const counts = await countRows(server.databaseUrl, { accounts: [account], livemode }, started);
  const expected = { succeeded: measured.succeeded, connections, endpoints: 0 };
  const violations = findViolations({ ...counts, ...(livemode && { approvals }) }, expected);
  return {
    ...measured,
    ...(livemode && { backlogMs }),
    violations: [...measured.violations, ...violations],
  };
}

const accountPath = `accounts/${adyenAccount.merchantAccount}`;

/** Counts the payments in the fake's ledger. */
async function countPayments(server: LiveServer): Promise<number> {
  const { count } = await controlFake<{ count: number }>(server, "GET", "payments/count");
  return count;
}

/**
 * Counts the payments after the last charge has ended, because some charges are still in flight when the load ends. A
 * request that the server has not read yet has no charge, so the number must also have stopped growing.
 */
async function countLastPayments(
  server: LiveServer,
  accounts: Accounts,
  started: Date,
): Promise<number> {
  for (let before = await countPayments(server); ; ) {
    await sleep(500);
    await untilNoneInFlight(server.databaseUrl, accounts, started);
    const count = await countPayments(server);
    if (count === before) return count;
    before = count;
  }
}

/** Sends a request to the control API of the fake. */
async function controlFake<Body>(
  { adyenUrl }: LiveServer,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const response = await fetch(`${adyenUrl}/control/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  assert(response.ok, `The fake rejected '${method} ${path}' with ${response.status}.`);
  return (await response.json()) as Body;
}

/** Typical conditions of merchants' rules, none of which matches the charges of the bench. */
const rules: readonly string[] = [
  "amount > 5000000",
  "card_country in ['KP', 'IR'] && amount > 1000",
  "card_attempts_1h > 100000000 || card_declines_24h > 5",
  "risk_score >= 90 && !off_session",
  "email_domain == 'bad.example' || ip_country == 'KP'",
];

async function withRules(
  { url, merchant }: Server,
  work: () => Promise<Measurement>,
): Promise<Measurement> {
  const created: string[] = [];
  for (const expression of rules) {
    const rule = { expression, outcome: "decline" };
    const { id } = await callApi<{ id: string }>(url, merchant, "POST", "/rules", rule);
    created.push(id);
  }
  try {
    return await work();
  } finally {
    for (const id of created) await callApi(url, merchant, "DELETE", `/rules/${id}`);
  }
}

/** Scenarios that write the rows of a charge in simpler ways, for comparison. */
export const floorScenarios: readonly Scenario[] = [
  {
    name: "floor: one statement per phase, 256 connections",
    measure: async (environment, run) =>
      measureCharges(environment, await environment.floor("oneStatement"), 256, run),
  },
  {
    name: "floor: plain transactions, 256 connections",
    measure: async (environment, run) =>
      measureCharges(environment, await environment.floor("plain"), 256, run),
  },
];

export async function measureCharges(
  environment: Environment,
  server: Server,
  connections: number,
  run: Run,
  { rate = null, merchants = [server.merchant] }: ChargeOptions = {},
): Promise<Measurement> {
  const started = new Date();
  const before = await readDatabaseState(server.databaseUrl);
  const load = loadOf(server.url, merchants, connections, run);
  const measured = await measure(environment, server.pid, load, { rate });
  const counts = await countRows(server.databaseUrl, accountsOf(merchants), started);
  const storage = await storageSince(before, server, counts.charges);
  const { succeeded } = measured;
  const violations = findViolations(counts, { succeeded, connections, endpoints: 0 });
  return { ...measured, storage, violations: [...measured.violations, ...violations] };
}

/** Returns the storage that each charge has used since `before`. */
async function storageSince(
  before: DatabaseState,
  { databaseUrl }: Server,
  charges: number,
): Promise<Storage> {
  const after = await readDatabaseState(databaseUrl);
  return {
    walBytes: (after.walBytes - before.walBytes) / charges,
    tableBytes: (after.bytes - before.bytes) / charges,
    connections: after.connections,
  };
}

type ChargeOptions = {
  /** The charges per second of an open loop, or null for a closed loop. */
  readonly rate?: number | null;
  /** The merchants of the requests, used in rotation. */
  readonly merchants?: readonly Merchant[];
};

function loadOf(url: string, merchants: readonly Merchant[], connections: number, run: Run): Load {
  return {
    url,
    secretKeys: merchants.map(({ secretKey }) => secretKey),
    method: "POST",
    paths: [chargesPath],
    body: chargeBody,
    keys: `${run.label}-`,
    connections,
    seconds: run.seconds,
  };
}

function accountsOf(merchants: readonly Merchant[]): Accounts {
  return { accounts: [...new Set(merchants.map(({ account }) => account))] };
}

/**
 * Measures charges per second. The time ends when the last webhook has arrived, so that a backlog at the end of the
 * load lowers the figure.
 */
export async function measureWholeSystem(
  environment: Environment,
  server: Server,
  listeners: readonly Merchant[],
  connections: number,
  run: Run,
): Promise<Measurement> {
  const receiver = await environment.receiver();
  await registerOnce(server, listeners, receiver.ready.url);
  const before = (await receiver.readState()) as Received;

  const started = new Date();
  const stateBefore = await readDatabaseState(server.databaseUrl);
  const load = loadOf(server.url, listeners, connections, run);
  const measured = await measure(environment, server.pid, load);
  const loadEnded = Date.now();
  const { accounts } = accountsOf(listeners);
  const counts = await countRows(server.databaseUrl, { accounts }, started);
  const after = await untilArrived(receiver, before.events + counts.events);

  const backlogMs = Math.max(0, after.lastReceivedAt - loadEnded);
  const { succeeded } = measured;
  const violations = [
    ...measured.violations,
    ...findViolations(counts, { succeeded, connections, endpoints: 1 }),
    ...findMissing(before.events + counts.events - after.events),
    ...(await findBacklog(server.databaseUrl, accounts)),
  ];
  const storage = await storageSince(stateBefore, server, counts.charges);
  const perSecond = counts.charges / (measured.seconds + backlogMs / 1000);
  return { ...measured, perSecond, backlogMs, storage, violations };
}

/** Registers the receiver as the only webhook endpoint of each merchant in `listeners`. */
async function registerOnce(
  server: Server,
  listeners: readonly Merchant[],
  url: string,
): Promise<void> {
  const [first = server.listener] = listeners;
  const path = "/webhook_endpoints";
  const { data } = await callApi<{ data: unknown[] }>(server.url, first, "GET", path);
  if (data.length === 0) await registerEndpoints(server, listeners, url);
}

/** The maximum wait for webhooks after the load. A run with a valid figure needs less. */
const timeoutMs = 60_000;

async function untilArrived(receiver: Child<unknown>, events: number): Promise<Received> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const received = (await receiver.readState()) as Received;
    if (received.events >= events || Date.now() > giveUpAt) return received;
    await sleep(20);
  }
}

function findMissing(missing: number): string[] {
  return missing === 0 ? [] : [`${missing} webhooks were written but did not arrive`];
}

/**
 * Waits until no delivery is pending, and returns a violation if some are still pending after 5 seconds. A delivery is
 * marked as delivered shortly after its arrival, in a batch.
 */
async function findBacklog(databaseUrl: string, accounts: readonly AccountId[]): Promise<string[]> {
  for (let attemptsLeft = 100; attemptsLeft > 0; attemptsLeft--) {
    if ((await countBacklog(databaseUrl, accounts)) === 0) return [];
    await sleep(50);
  }
  return ["deliveries are still pending although every webhook has arrived"];
}
