import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type ChargeId, uuidOf } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { createClient } from "../../client.ts";
import { slowed } from "../../slowness.ts";
import type { DirectoryProxy } from "./directory-proxy.ts";
import { type CrashPoint, hangMs } from "./fault-cases.ts";
import { makeDue } from "./make-due.ts";
import type { MatrixServer } from "./matrix-server.ts";
import { bodyOf, paths, type RunningCase, sendRequest } from "./running-case.ts";

type Run = {
  readonly server: MatrixServer;
  readonly directoryProxy: DirectoryProxy;
  readonly cases: readonly RunningCase[];
  readonly database: Database;
  readonly url: string;
};

/** Sends the request of each case, and kills the server when all requests have reached the crash point. */
export async function crashAt(crash: CrashPoint, run: Run): Promise<void> {
  const { server, directoryProxy, cases, database } = run;
  if (crash === "before the intention is written") {
    await Promise.all(cases.map((testCase) => sendHalf(server, testCase)));
    await sleep(100);
    return server.kill();
  }
  const client = createClient(server.url);
  const replies = Promise.allSettled(cases.map((testCase) => sendRequest(client, testCase)));
  await makeDue(database, "charges");
  await waitUntilAllReached(server, directoryProxy, cases);
  if (crash === "response received, not recorded") await killBeforeRecording(run);
  else if (crash === "written, not sent" || crash === "sent, no response") {
    await sleep(crash === "sent, no response" ? 200 : 0);
    await server.kill();
  } else {
    await replies;
    // In this time, late responses arrive and the service records the results of its inquiries.
    await sleep(hangMs + 400);
    if (crash !== "none") await server.kill();
  }
  await replies;
  await client.close();
}

async function waitUntilAllReached(
  server: MatrixServer,
  directoryProxy: DirectoryProxy,
  cases: readonly RunningCase[],
) {
  const authentications = cases.filter(({ operation }) => operation === "authenticate");
  const others = cases.filter((testCase) => !authentications.includes(testCase));
  await server.reached(others.map(({ account }) => account));
  const deadline = performance.now() + slowed(20_000);
  while (
    !authentications.every(({ charge }) => directoryProxy.reached.has(uuidOf(charge as ChargeId)))
  ) {
    assert.ok(performance.now() < deadline, "an AReq never reached the directory server");
    await sleep(10);
  }
}

/** Sends the headers of a request and a part of its body. */
async function sendHalf({ url }: MatrixServer, testCase: RunningCase): Promise<void> {
  const path = paths[testCase.operation](testCase);
  if (!path) return;
  const body = JSON.stringify(bodyOf(testCase));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${testCase.secret}`,
    "idempotency-key: the request",
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  await new Promise<void>((sent) =>
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`, () => sent()),
  );
}

/**
 * Locks the tables, so that the server receives the responses but cannot record them. Then kills the server and its
 * waiting statements.
 */
async function killBeforeRecording({ server, directoryProxy, url, cases }: Run): Promise<void> {
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  await locker.query("begin");
  await locker.query("lock table charges, operations, authentications in share mode");
  server.resume();
  directoryProxy.resume();
  await sleep(hangMs + 400);
  await server.kill();
  // Postgres would finish and commit the last statement of each killed connection, so their backends are terminated
  // before the lock is released.
  for (let times = 0; times < 5; times++) {
    await sleep(100);
    await locker.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'florin%' and wait_event_type = 'Lock'
    `);
  }
  await locker.query("rollback");
  const undecided = await locker.query("select id from charges where status = 'processing'");
  const reached = cases.filter(({ operation }) => /authorize|inquiry/.test(operation));
  assert.equal(undecided.rowCount, reached.length, "something was recorded before the crash");
  await locker.end();
}
