import assert from "node:assert/strict";
import { join } from "node:path";
import { type ChargeId, uuidOf } from "../../../src/core/ids.ts";
import type { HashKey } from "../../../src/identity/api-keys/issue-api-key.ts";
import { isLiveKey } from "../../../src/identity/api-keys/key-text.ts";
import { printReport } from "../../../src/insights/verify/print-report.ts";
import { verify } from "../../../src/insights/verify/verify.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { createLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { createCardholder } from "../../cardholder.ts";
import { type Client, createClient } from "../../client.ts";
import { createTestDatabase } from "../../database.ts";
import { newMerchant } from "../model/new-merchant.ts";
import { behaviours, type Cell, type CrashPoint, operations } from "./cells.ts";
import { crashAt } from "./crash-at.ts";
import { type DirectoryProxy, type Hold, startDirectoryProxy } from "./directory-proxy.ts";
import { postpone, settle } from "./due.ts";
import { act, type Player, send, visa, whileUnavailable } from "./player.ts";
import { openStage, type Stage } from "./stage.ts";

/** Runs all cells at once around one crash. Returns the result of each, under its name in the table. */
export async function playCells(
  crash: CrashPoint,
  cells: readonly Cell[],
  embed: string,
  directory: string,
): Promise<readonly (Cell & { readonly found: string })[]> {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url, poolSize: 4, onIdleError: () => undefined });
  const keys = createLocalKeyProvider(join(directory, "keys"));
  const hashKey: HashKey = (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`));
  const bankLine = await startDirectoryProxy();
  const open = () => openStage(own.url, directory, embed, bankLine);
  let stage = await open();
  try {
    const players: Player[] = await Promise.all(
      cells.map(async (cell) => {
        const { account, key: secret } = await newMerchant(database, hashKey);
        return { ...cell, account, secret, charge: null, challenge: null };
      }),
    );
    await withClient(stage, (client) =>
      Promise.all(players.map((player) => prepare(stage, client, database, player))),
    );
    await Promise.all(players.map((player) => arm(stage, bankLine, player, crash)));
    await crashAt(crash, { stage, bankLine, players, database, url: own.url });
    bankLine.heal();
    if (crash !== "none") stage = await open();
    await withClient(stage, async (client) => {
      // Every client without a response repeats its request. Responses may take as long as inquiries do.
      await Promise.all([...players.map((player) => act(client, player)), settle(database)]);
      await settle(database);
    });
    const found = await withClient(stage, (client) =>
      Promise.all(players.map((player) => wordFor(client, player))),
    );
    const report = await verify(database, { cards: true });
    assert.equal(report.violations, 0, printReport(report));
    return players.map(({ operation, behaviour }, index) => ({
      operation,
      behaviour,
      found: found[index] as string,
    }));
  } finally {
    await stage.kill();
    bankLine.close();
    await database.close();
    await own.drop();
  }
}

async function withClient<Value>(
  { url }: Stage,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = createClient(url);
  return work(client).finally(() => client.close());
}

/** Creates the precondition: a payment to refund, a hold to capture, or a charge with an unknown outcome. */
async function prepare(
  stage: Stage,
  client: Client,
  database: Database,
  player: Player,
): Promise<void> {
  const { operation, account } = player;
  if (operation === "authorise") return;
  if (operation === "inquiry") {
    const faults = { reset: true };
    await stage.arm({ account, on: "authorize", faults, hold: null });
  }
  const manual = operation === "capture" || operation === "void";
  const body = {
    ...visa,
    ...(manual && { capture_method: "manual" }),
    ...(operation === "authenticate" && { payment_method_id: "pm_card_threeDSecure2Frictionless" }),
  };
  const reply = await whileUnavailable(() =>
    send(client, player, "/api/v1/charges", "before", body),
  );
  assert.equal(reply.status, 201, reply.text);
  player.charge = reply.body.id;
  if (operation === "inquiry") await postpone(database, reply.body.id);
  if (operation === "authenticate") {
    const { url } = reply.body.next_action;
    player.challenge = url;
    const begun = await whileUnavailable(() => createCardholder(client, url).begin());
    assert.equal(begun.status, 200, begun.text);
  }
}

async function arm(
  stage: Stage,
  bankLine: DirectoryProxy,
  { account, operation, behaviour, charge }: Player,
  crash: CrashPoint,
): Promise<void> {
  const holds: Partial<Record<CrashPoint, Hold>> = {
    "written, not sent": "before it is sent",
    "sent, not answered": "before it is answered",
    "answered, not recorded": "before it is sent",
  };
  const hold = holds[crash] ?? null;
  const on = operations[operation];
  if (on) return stage.arm({ account, on, faults: behaviours[behaviour], hold });
  bankLine.arm(uuidOf(charge as ChargeId), behaviour, hold);
}

/** Returns the result of a cell, under its name in the table. */
async function wordFor(client: Client, player: Player): Promise<string> {
  const headers = { authorization: `Bearer ${player.secret}` };
  const read = async (path: string) =>
    (await whileUnavailable(() => client.send("GET", `/api/v1${path}`, { headers }))).body;
  const { operation, charge, account } = player;
  const made = (await read("/charges")).data;
  assert.deepEqual(
    made.map(({ id }: { id: string }) => id),
    [charge],
    `${uuidOf(account)}`,
  );
  const [{ status, decline_code, amount_refunded }] = made;
  if (operation === "refund") {
    const [refund, ...more] = (await read("/refunds")).data;
    assert.equal(more.length, 0);
    assert.equal(amount_refunded, refund.status === "succeeded" ? 1999 : 0);
    return refund.status === "succeeded" ? "refunded" : "kept";
  }
  if (status === "succeeded") return operation === "capture" ? "captured" : "paid";
  if (status === "canceled") return "released";
  if (status === "authorized") return "held";
  if (operation === "authenticate") return "refused";
  return decline_code === "processing_error" ? "undone" : "declined";
}
