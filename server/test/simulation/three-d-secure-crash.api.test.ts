import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { type Cardholder, createCardholder, rightCode } from "../cardholder.ts";
import { createClient, type Sent } from "../client.ts";
import { createTestDatabase } from "../database.ts";
import { slowed } from "../slowness.ts";
import { dose, seed } from "../test-size.ts";
import { seededRandom } from "./seeded-random.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/**
 * Kills the server between and during the messages of a 3-D Secure transaction, and starts another server. The
 * transaction continues or ends in a defined state. No payment is made twice, and no payment succeeds without the
 * issuer's authentication.
 */
const directory = await mkdtemp(join(tmpdir(), "florin-3ds-crash-"));
const testDatabase = await createTestDatabase();
const embed = await builtEmbed();
const port = await freePort();
let server = await start();
after(async () => {
  await server.stop();
  await testDatabase.drop();
  await rm(directory, { recursive: true, force: true });
});

function start(): Promise<ServerProcess> {
  return startServer({
    databaseUrl: testDatabase.url,
    dataDirectory: join(directory, "data"),
    embedDirectory: embed.outdir,
    shopUrl: "http://127.0.0.1:9",
    port,
  });
}

async function crash(): Promise<void> {
  await server.kill();
  server = await start();
}

const client = createClient(`http://127.0.0.1:${port}`);
after(() => client.close());

/** Sends a request. Repeats it if the server is killed before it responds. */
async function send(method: string, path: string, sent: Sent = {}) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.send(method, path, sent);
    } catch (error) {
      if (attempt === 600) throw error;
      await sleep(100);
    }
  }
}
const api = async (method: string, path: string, body?: object) =>
  (
    await send(method, `/api/v1${path}`, {
      headers: { authorization: `Bearer ${server.secretKey}` },
      ...(body && { body }),
    })
  ).body;

async function challenge(): Promise<{ id: string; cardholder: Cardholder }> {
  const charge = await api("POST", "/charges", {
    amount: 1999,
    currency: "usd",
    payment_method_id: "pm_card_authenticationRequired",
  });
  return { id: charge.id, cardholder: createCardholder({ send }, charge.next_action.url) };
}

async function ended(id: string) {
  for (;;) {
    const charge = await api("GET", `/charges/${id}`);
    if (!/requires_action|processing/.test(charge.status)) return charge;
    await sleep(100);
  }
}

/**
 * Pays in the cardholder's browser. Starts every step at the challenge document, as after a reload, so that a crash can
 * occur at any time.
 */
async function payUntilDone(id: string, cardholder: Cardholder): Promise<void> {
  for (const deadline = performance.now() + slowed(60_000); performance.now() < deadline; ) {
    const { step } = (await cardholder.begin()).body;
    if (step === "done") return;
    if (step === "authenticate") await cardholder.authenticate();
    else if (step === "challenge") {
      const given = await cardholder.challenge();
      if (given.status !== 200) continue;
      const page = await post(new URL(given.body.url).pathname, given.body.fields);
      const acsTransID = /name="acsTransID" value="([^"]+)"/.exec(page)?.[1];
      if (acsTransID) await response(acsTransID);
    } else await sleep(200);
  }
  assert.fail(`${id} did not finish`);
}

const inputPath = "/simulator/three-d-secure/challenge/input";
const response = (acsTransID: string) =>
  post(inputPath, { acsTransID, action: "submit", ...rightCode });

async function post(path: string, fields: Record<string, string>): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  return (await send("POST", path, { headers, body })).text;
}

test("when the server is killed between messages, the same transaction continues and succeeds", async () => {
  const { id, cardholder } = await challenge();
  await crash();
  assert.equal((await cardholder.begin()).body.step, "authenticate");
  await crash();
  assert.equal((await cardholder.authenticate()).body.step, "challenge");
  await crash();
  const before = (await cardholder.challenge()).body;
  await crash();
  assert.deepEqual((await cardholder.challenge()).body, before);
  await payUntilDone(id, cardholder);
  const { status, payment_method_details } = await ended(id);
  assert.equal(status, "succeeded");
  assert.equal(payment_method_details.card.three_d_secure.result, "authenticated");
});

const rounds = dose("rounds", { short: 1, long: 100 });

test(`when the server is killed at ${rounds} random moments, each transaction reaches a final state (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const results: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { id, cardholder } = await challenge();
    const payment = payUntilDone(id, cardholder);
    // The delay is random, so that the server is killed at any time from the first request until after the last.
    await sleep(random.between(0, 120));
    await crash();
    await payment;
    const charge = await ended(id);
    results.push(charge.failure_code ?? charge.status);
  }
  t.diagnostic(results.join(", "));
  for (const result of results) {
    // An AReq without a response is not sent again, and the charge fails with `authentication_required`. After an
    // interrupted authorization, a status inquiry returns the outcome or the authorization is reversed.
    assert.match(result, /^(succeeded|authentication_required|processing_error)$/);
  }
  // If there are only a few rounds, every kill may interrupt the AReq, and then no payment succeeds. The first test
  // shows that a transaction continues after a kill.
  if (rounds >= 10) assert.ok(results.includes("succeeded"));
});

test("the database is consistent afterwards", async () => {
  const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
  const report = await verify(database, { cards: true });
  await database.close();
  assert.equal(report.violations, 0, printReport(report));
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  assert.ok(typeof address === "object" && address);
  probe.close();
  await once(probe, "close");
  return address.port;
}
