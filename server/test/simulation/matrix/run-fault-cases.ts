import assert from "node:assert/strict";
import { join } from "node:path";
import { type ChargeId, uuidOf } from "../../../src/core/ids.ts";
import type { HashKey } from "../../../src/identity/api-keys/issue-api-key.ts";
import { isLiveKey } from "../../../src/identity/api-keys/key-text.ts";
import { printReport } from "../../../src/insights/verify/print-report.ts";
import { verify } from "../../../src/insights/verify/verify.ts";
import { connectDatabase, type Database } from "../../../src/platform/database/database.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { createCardholder } from "../../cardholder.ts";
import { type Client, createClient } from "../../client.ts";
import { createTestDatabase } from "../../database.ts";
import { newMerchant } from "../model/new-merchant.ts";
import { crashAt } from "./crash-at.ts";
import { type DirectoryProxy, type PausePoint, startDirectoryProxy } from "./directory-proxy.ts";
import { behaviors, type CrashPoint, type FaultCase, operations } from "./fault-cases.ts";
import { postpone, waitForOutcomes } from "./make-due.ts";
import { type MatrixServer, startMatrixServer } from "./matrix-server.ts";
import { type RunningCase, retryUnavailable, send, sendRequest, visa } from "./running-case.ts";

/**
 * Runs all cases simultaneously, with one crash of their server. Returns the result of each case, with the names that
 * `expected` uses.
 */
export async function runFaultCases(
  crash: CrashPoint,
  faultCases: readonly FaultCase[],
  embed: string,
  directory: string,
): Promise<readonly (FaultCase & { readonly found: string })[]> {
  const testDatabase = await createTestDatabase();
  const database = connectDatabase({
    url: testDatabase.url,
    poolSize: 4,
    onIdleError: () => undefined,
  });
  const keys = createLocalKeyProvider(join(directory, "keys"));
  const hashKey: HashKey = (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`));
  const directoryProxy = await startDirectoryProxy();
  const started: MatrixServer[] = [];
  const startServer = async () => {
    const server = await startMatrixServer(testDatabase.url, directory, embed, directoryProxy);
    started.push(server);
    return server;
  };
  try {
    let server = await startServer();
    const cases: RunningCase[] = await Promise.all(
      faultCases.map(async (faultCase) => {
        const { account, key: secret } = await newMerchant(database, hashKey);
        return { ...faultCase, account, secret, charge: null, challenge: null };
      }),
    );
    await withClient(server, (client) =>
      Promise.all(cases.map((testCase) => prepare(server, client, database, testCase))),
    );
    await Promise.all(cases.map((testCase) => arm(server, directoryProxy, testCase, crash)));
    await crashAt(crash, { server, directoryProxy, cases, database, url: testDatabase.url });
    directoryProxy.stopFaults();
    if (crash !== "none") server = await startServer();
    await withClient(server, async (client) => {
      // Every client without a response repeats its request. The response may have to wait for an inquiry.
      await Promise.all([
        ...cases.map((testCase) => sendRequest(client, testCase)),
        waitForOutcomes(database),
      ]);
      await waitForOutcomes(database);
    });
    const found = await withClient(server, (client) =>
      Promise.all(cases.map((testCase) => outcomeOf(client, testCase))),
    );
    const report = await verify(database, { cards: true });
    assert.equal(report.violations, 0, printReport(report));
    return cases.map(({ operation, behavior }, index) => ({
      operation,
      behavior,
      found: found[index] as string,
    }));
  } finally {
    await started.at(-1)?.kill();
    directoryProxy.close();
    await database.close();
    await testDatabase.drop();
  }
}

async function withClient<Value>(
  { url }: MatrixServer,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = createClient(url);
  return work(client).finally(() => client.close());
}

/** Creates the charge that the case needs: a payment, an authorization, or a charge with an unknown outcome. */
async function prepare(
  server: MatrixServer,
  client: Client,
  database: Database,
  testCase: RunningCase,
): Promise<void> {
  const { operation, account } = testCase;
  if (operation === "authorize") return;
  if (operation === "inquiry") {
    const faults = { reset: true };
    await server.arm({ account, on: "authorize", faults, pauseAt: null });
  }
  const manual = operation === "capture" || operation === "void";
  const body = {
    ...visa,
    ...(manual && { capture_method: "manual" }),
    ...(operation === "authenticate" && { payment_method_id: "pm_card_threeDSecure2Frictionless" }),
  };
  const reply = await retryUnavailable(() =>
    send(client, testCase, "/api/v1/charges", "precondition", body),
  );
  assert.equal(reply.status, 201, reply.text);
  testCase.charge = reply.body.id;
  if (operation === "inquiry") await postpone(database, reply.body.id);
  if (operation === "authenticate") {
    const { url } = reply.body.next_action;
    testCase.challenge = url;
    const page = await retryUnavailable(() => createCardholder(client, url).begin());
    assert.equal(page.status, 200, page.text);
  }
}

async function arm(
  server: MatrixServer,
  directoryProxy: DirectoryProxy,
  { account, operation, behavior, charge }: RunningCase,
  crash: CrashPoint,
): Promise<void> {
  const pausePoints: Partial<Record<CrashPoint, PausePoint>> = {
    "written, not sent": "before it is sent",
    "sent, no response": "before the response",
    "response received, not recorded": "before it is sent",
  };
  const pauseAt = pausePoints[crash] ?? null;
  const on = operations[operation];
  if (on) return server.arm({ account, on, faults: behaviors[behavior], pauseAt });
  directoryProxy.arm(uuidOf(charge as ChargeId), behavior, pauseAt);
}

/** Returns the result of a case, with the names that `expected` uses. */
async function outcomeOf(client: Client, testCase: RunningCase): Promise<string> {
  const headers = { authorization: `Bearer ${testCase.secret}` };
  const read = async (path: string) =>
    (await retryUnavailable(() => client.send("GET", `/api/v1${path}`, { headers }))).body;
  const { operation, charge, account } = testCase;
  const created = (await read("/charges")).data;
  assert.deepEqual(
    created.map(({ id }: { id: string }) => id),
    [charge],
    `${uuidOf(account)}`,
  );
  const [{ status, decline_code, amount_refunded }] = created;
  if (operation === "refund") {
    const [refund, ...more] = (await read("/refunds")).data;
    assert.equal(more.length, 0);
    assert.equal(amount_refunded, refund.status === "succeeded" ? 1999 : 0);
    return refund.status === "succeeded" ? "refunded" : "failed";
  }
  if (status === "succeeded") return operation === "capture" ? "captured" : "paid";
  if (status === "canceled") return "released";
  if (status === "authorized") return "held";
  if (operation === "authenticate") return "rejected";
  return decline_code === "processing_error" ? "reversed" : "declined";
}
