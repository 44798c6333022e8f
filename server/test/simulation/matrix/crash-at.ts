import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type ChargeId, uuidOf } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { createClient } from "../../client.ts";
import { type CrashPoint, hangMs } from "./cells.ts";
import type { DirectoryProxy } from "./directory-proxy.ts";
import { hurry } from "./due.ts";
import { act, bodyOf, type Player, paths } from "./player.ts";
import type { Stage } from "./stage.ts";

type Playing = {
  readonly stage: Stage;
  readonly bankLine: DirectoryProxy;
  readonly players: readonly Player[];
  readonly database: Database;
  readonly url: string;
};

/** Sends the request of each cell and kills the server when all of them have reached the same point. */
export async function crashAt(crash: CrashPoint, playing: Playing): Promise<void> {
  const { stage, bankLine, players, database } = playing;
  if (crash === "before the intention is written") {
    await Promise.all(players.map((player) => sendHalf(stage, player)));
    await sleep(100);
    return stage.kill();
  }
  const client = createClient(stage.url);
  const replies = Promise.allSettled(players.map((player) => act(client, player)));
  await hurry(database, "asked about");
  await allAsked(stage, bankLine, players);
  if (crash === "answered, not recorded") await killBeforeRecording(playing);
  else if (crash === "written, not sent" || crash === "sent, not answered") {
    await sleep(crash === "sent, not answered" ? 200 : 0);
    await stage.kill();
  } else {
    await replies;
    // After this time late responses have arrived, and the results of inquiries are recorded.
    await sleep(hangMs + 400);
    if (crash !== "none") await stage.kill();
  }
  await replies;
  await client.close();
}

async function allAsked(stage: Stage, bankLine: DirectoryProxy, players: readonly Player[]) {
  const ofBank = players.filter(({ operation }) => operation === "authenticate");
  const others = players.filter((player) => !ofBank.includes(player));
  await stage.asked(others.map(({ account }) => account));
  const deadline = performance.now() + 20_000;
  while (!ofBank.every(({ charge }) => bankLine.asked.has(uuidOf(charge as ChargeId)))) {
    assert.ok(performance.now() < deadline, "a bank was never asked");
    await sleep(10);
  }
}

/** Sends the header of a request and a part of its body. */
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

/**
 * Locks the tables, so that the responses arrive and cannot be recorded. Then kills the server and terminates its
 * statements.
 */
async function killBeforeRecording({ stage, bankLine, url, players }: Playing): Promise<void> {
  const keeper = new pg.Client({ connectionString: url });
  await keeper.connect();
  await keeper.query("begin");
  await keeper.query("lock table charges, operations, authentications in share mode");
  stage.go();
  bankLine.go();
  await sleep(hangMs + 400);
  await stage.kill();
  // Postgres continues the last statement of a disconnected client and would commit it, so its backends are terminated.
  for (let times = 0; times < 5; times++) {
    await sleep(100);
    await keeper.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'florin%' and wait_event_type = 'Lock'
    `);
  }
  await keeper.query("rollback");
  const undecided = await keeper.query("select id from charges where status = 'processing'");
  const asked = players.filter(({ operation }) => /authorise|inquiry/.test(operation));
  assert.equal(undecided.rowCount, asked.length, "something was recorded before the crash");
  await keeper.end();
}
