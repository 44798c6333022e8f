import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { HashKey } from "../../../src/api-keys/issue-api-key.ts";
import { isLiveKey } from "../../../src/api-keys/key-text.ts";
import { type Database, openDatabase } from "../../../src/database/database.ts";
import { type AccountId, type ChargeId, uuidOf } from "../../../src/primitives/ids.ts";
import { openLocalKeyProvider } from "../../../src/vault/local-key-provider.ts";
import { printReport } from "../../../src/verify/print-report.ts";
import { verify } from "../../../src/verify/verify.ts";
import { someScreen } from "../../cardholder.ts";
import { type Client, openClient, type Reply } from "../../client.ts";
import { createTestDatabase } from "../../database.ts";
import { newMerchant } from "../model/new-merchant.ts";
import { type BankLine, type Hold, openBankLine } from "./bank-line.ts";
import {
  behaviours,
  type Cell,
  type CrashPoint,
  hangMs,
  type Operation,
  operations,
} from "./cells.ts";
import { openStage, type Stage } from "./stage.ts";

/** One cell with a merchant of its own, whose only message of this kind is the one that is spoilt. */
type Player = Cell & {
  readonly account: AccountId;
  readonly secret: string;
  /** The charge that it is about; for an authorisation the one that it makes. */
  charge: string | null;
  /** Where its cardholder is authenticated. */
  challenge: string | null;
};

/** Plays all cells at once around one crash; what became of each, in the words of the table. */
export async function playCells(
  crash: CrashPoint,
  cells: readonly Cell[],
  embed: string,
  directory: string,
): Promise<readonly (Cell & { readonly found: string })[]> {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url, poolSize: 4, onIdleError: () => undefined });
  const keys = openLocalKeyProvider(join(directory, "keys"));
  const hashKey: HashKey = (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`));
  const bankLine = await openBankLine();
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
      // Whoever was not answered sends the same again; and answers may take as long as inquiries do.
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
  const client = openClient(url);
  return work(client).finally(() => client.close());
}

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

function send(client: Client, { secret }: Player, path: string, key: string, body: object) {
  const headers = { authorization: `Bearer ${secret}`, "idempotency-key": key };
  return client.send("POST", path, { headers, body });
}

/** What has to be there before: a payment to refund, a hold to capture, a charge that is to be asked about. */
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
  const reply = await send(client, player, "/api/v1/charges", "before", body);
  assert.equal(reply.status, 201, reply.text);
  player.charge = reply.body.id;
  if (operation === "inquiry") await postpone(database);
  if (operation === "authenticate") {
    player.challenge = new URL(reply.body.next_action.url).pathname;
    await client.send("POST", `${player.challenge}/begin`, { body: {} });
  }
}

async function arm(
  stage: Stage,
  bankLine: BankLine,
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

const paths: Readonly<Record<Operation, (player: Player) => string | null>> = {
  authorise: () => "/api/v1/charges",
  capture: ({ charge }) => `/api/v1/charges/${charge}/capture`,
  void: ({ charge }) => `/api/v1/charges/${charge}/cancel`,
  refund: () => "/api/v1/refunds",
  // Nobody asks for it: it comes when it is due.
  inquiry: () => null,
  authenticate: ({ challenge }) => `${challenge}/authenticate`,
};

function bodyOf({ operation, charge }: Player): object {
  if (operation === "authorise") return visa;
  if (operation === "authenticate") return someScreen;
  return operation === "refund" ? { charge_id: charge } : {};
}

/** The request of a cell, always the same one. */
async function act(client: Client, player: Player): Promise<Reply | null> {
  const path = paths[player.operation](player);
  if (!path) return null;
  if (player.operation === "authenticate") return authenticate(client, player);
  for (let attempt = 1; ; attempt++) {
    const reply = await send(client, player, path, "the request", bodyOf(player));
    if (reply.status < 500 || attempt === 20) {
      assert.ok(reply.status < 500, reply.text);
      if (player.operation === "authorise") {
        player.charge = reply.body.id ?? reply.body.error?.charge;
      }
      return reply;
    }
    await sleep(250);
  }
}

/** The cardholder's browser, which begins again from the document, as a reload does, until there is nothing to do. */
async function authenticate(client: Client, { challenge }: Player): Promise<null> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; ) {
    const { body } = await client.send("POST", `${challenge}/begin`, { body: {} });
    if (body.step === "done") return null;
    if (body.step === "authenticate") {
      await client.send("POST", `${challenge}/authenticate`, { body: someScreen });
    } else await sleep(200);
  }
  return assert.fail(`${challenge} comes to no end`);
}

type Playing = {
  readonly stage: Stage;
  readonly bankLine: BankLine;
  readonly players: readonly Player[];
  readonly database: Database;
  readonly url: string;
};

async function crashAt(crash: CrashPoint, playing: Playing): Promise<void> {
  const { stage, bankLine, players, database } = playing;
  if (crash === "before the intention is written") {
    await Promise.all(players.map((player) => sendHalf(stage, player)));
    await sleep(100);
    return stage.kill();
  }
  const client = openClient(stage.url);
  const replies = Promise.allSettled(players.map((player) => act(client, player)));
  await hurry(database, "asked about");
  await allAsked(stage, bankLine, players);
  if (crash === "answered, not recorded") await killBeforeRecording(playing);
  else if (crash === "written, not sent" || crash === "sent, not answered") {
    await sleep(crash === "sent, not answered" ? 200 : 0);
    await stage.kill();
  } else {
    await replies;
    // Late answers have come by then, and what was heard of inquiries is written down.
    await sleep(hangMs + 400);
    if (crash !== "none") await stage.kill();
  }
  await replies;
  await client.close();
}

async function allAsked(stage: Stage, bankLine: BankLine, players: readonly Player[]) {
  const ofBank = players.filter(({ operation }) => operation === "authenticate");
  const others = players.filter((player) => !ofBank.includes(player));
  await stage.asked(others.map(({ account }) => account));
  const deadline = performance.now() + 20_000;
  while (!ofBank.every(({ charge }) => bankLine.asked.has(uuidOf(charge as ChargeId)))) {
    assert.ok(performance.now() < deadline, "a bank was never asked");
    await sleep(10);
  }
}

/** The head of a request, and of its body not all. */
async function sendHalf({ url }: Stage, player: Player): Promise<void> {
  const path = paths[player.operation](player);
  if (!path) return;
  const body = JSON.stringify(bodyOf(player));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${player.secret}`,
    "idempotency-key: the request",
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  await new Promise<void>((sent) =>
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`, () => sent()),
  );
}

/** The answers come, and stand before a table that nobody may write; there the server dies, and its statements with it. */
async function killBeforeRecording({ stage, bankLine, url, players }: Playing): Promise<void> {
  const keeper = new pg.Client({ connectionString: url });
  await keeper.connect();
  await keeper.query("begin");
  await keeper.query("lock table charges, operations, authentications in share mode");
  stage.go();
  bankLine.go();
  await sleep(hangMs + 400);
  await stage.kill();
  await keeper.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'florin%' and wait_event_type = 'Lock'
  `);
  await sleep(100);
  await keeper.query("rollback");
  const undecided = await keeper.query("select id from charges where status = 'processing'");
  const asked = players.filter(({ operation }) => /authorise|inquiry/.test(operation));
  assert.equal(undecided.rowCount, asked.length, "something was recorded before the crash");
  await keeper.end();
}

/** No inquiry comes before its time, and then all of them come in one round. */
async function postpone(database: Database): Promise<void> {
  await database.transaction(
    (tx) => tx`
      update charges set due_at = now() + interval '1 hour'
       where status = 'processing' and pending_reason is not null
    `,
  );
}

/** What is due later is due now. */
async function hurry(database: Database, which: "asked about" | "all"): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`
      update charges set due_at = now()
       where status = 'processing' and due_at > now() and pending_reason is not null
    `;
    if (which === "all") {
      await tx`update operations set due_at = now() where due_at > now() and pending_reason is not null`;
    }
  });
}

async function settle(database: Database): Promise<void> {
  const deadline = performance.now() + 40_000;
  for (;;) {
    const [row] = await database.read<{ open: number }>`
      select (select count(*) from charges where status in ('processing', 'requires_action'))
           + (select count(*) from operations where status = 'processing') as open
    `;
    if (row?.open === 0) return;
    assert.ok(performance.now() < deadline, `${row?.open} outcomes are not known yet`);
    await sleep(700);
    await hurry(database, "all");
  }
}

/** What became of it, in the words of the table. */
async function wordFor(client: Client, player: Player): Promise<string> {
  const headers = { authorization: `Bearer ${player.secret}` };
  const read = async (path: string) =>
    (await client.send("GET", `/api/v1${path}`, { headers })).body;
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
