import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type AdyenFake, startAdyenFake } from "./adyen-fake.ts";
import { clientOf, hold, modification, sale, startReceiver } from "./running-fake.fixture.ts";

function dataFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "adyen-fake-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "journal");
}

/** Starts the fake with the journal. The test closes it. */
async function start(t: TestContext, file: string, webhookUrl: string, processingMs = 0) {
  const options = { dataFile: file, accounts: [{ webhookUrl }], processingMs };
  const fake: AdyenFake = await startAdyenFake(options);
  t.after(() => fake.close().catch(() => {}));
  return fake;
}

test("a restart keeps payments, keys, the ledger and the clock", async (t) => {
  const file = dataFile(t);
  const receiver = await startReceiver(t);
  const first = await start(t, file, receiver.url);
  const before = clientOf(first.url, receiver);
  const headers = { "idempotency-key": "key-1" };
  const payment = await before.post("/v72/payments", sale("ch_1"), headers);
  await before.control("POST clock", { advanceMs: 60_000 });
  const ledger = await before.control("GET ledger");
  await receiver.item("AUTHORISATION");
  await first.close();

  const after = clientOf((await start(t, file, receiver.url)).url, receiver);
  assert.deepEqual(await after.control("GET ledger"), ledger);
  const repeated = await after.post("/v72/payments", sale("ch_1"), headers);
  assert.deepEqual(repeated.body, payment.body);
  const { now } = await after.control("GET clock");
  assert.ok(Date.parse(now) - Date.now() > 59_000);
  const path = `/v72/payments/${payment.body.pspReference}/refunds`;
  assert.equal((await after.post(path, modification("op_1", 100))).status, 201);
});

test("a restart executes received modifications and delivers pending notifications", async (t) => {
  const file = dataFile(t);
  const receiver = await startReceiver(t);
  receiver.status = 500;
  const first = await start(t, file, receiver.url, 60_000);
  const before = clientOf(first.url, receiver);
  const { pspReference } = await before.sdk.payments(hold("ch_1"));
  await before.sdk.capture(pspReference, modification("op_1", 1000));
  await first.close();
  assert.equal(receiver.items.length, 0);

  receiver.status = 200;
  const after = clientOf((await start(t, file, receiver.url)).url, receiver);
  await receiver.item("CAPTURE", "op_1");
  await after.control("POST clock", { advanceMs: 10 * 60_000 });
  await receiver.item("AUTHORISATION", "ch_1");
});

test("a line that a killed process wrote in part is ignored, and the journal has no card number", async (t) => {
  const file = dataFile(t);
  const receiver = await startReceiver(t);
  const first = await start(t, file, receiver.url);
  await clientOf(first.url, receiver).sdk.payments(sale("ch_1"));
  await receiver.item("AUTHORISATION");
  await first.close();
  assert.doesNotMatch(readFileSync(file, "utf8"), /41111111/);
  appendFileSync(file, '[["payments","torn');

  const second = await start(t, file, receiver.url);
  const client = clientOf(second.url, receiver);
  assert.equal((await client.control("GET payments")).payments.length, 1);
  await client.sdk.payments(sale("ch_2"));
  await second.close();
  const third = await start(t, file, receiver.url);
  const { payments } = await clientOf(third.url, receiver).control("GET payments");
  assert.equal(payments.length, 2);
});

test("a killed process has stored every response that it sent", async (t) => {
  const file = dataFile(t);
  const receiver = await startReceiver(t);
  const first = await startProcess(t, ["--data", file, "--webhook", receiver.url]);
  const before = clientOf(first.url, receiver);
  const sent = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      before.post("/v72/payments", sale(`ch_${index}`), { "idempotency-key": `key-${index}` }),
    ),
  );
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  const second = await startProcess(t, ["--data", file]);
  const after = clientOf(second.url, receiver);
  for (const [index, { body }] of sent.entries()) {
    const key = { "idempotency-key": `key-${index}` };
    assert.deepEqual((await after.post("/v72/payments", sale(`ch_${index}`), key)).body, body);
    await receiver.item("AUTHORISATION", `ch_${index}`);
  }
  const check = await after.control("GET ledger/check");
  assert.deepEqual(check, { isBalanced: true, mismatches: [] });
  assert.equal((await after.control("GET payments")).payments.length, 50);
  assert.deepEqual(await after.control("GET payments/count"), { count: 50 });
});

/** Starts the command on a free port. */
async function startProcess(t: TestContext, options: readonly string[]) {
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, "--port", "0", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))?.[0] ?? "";
  return { child, url };
}
