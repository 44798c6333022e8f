import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mock, test } from "node:test";
import { ExchangeFailed, type HttpsResponse } from "../https-request.ts";
import { createRootKeySource } from "./root-key-source.ts";

const minute = 60_000;
const start = Date.parse("2026-05-01T12:00:00Z");

function keyList(expiresAtMs: number): string {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const keyValue = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const key = { keyValue, protocolVersion: "ECv2", keyExpiration: String(expiresAtMs) };
  return JSON.stringify({ keys: [key] });
}

/** Creates a source whose server returns the next response, or does not respond. */
function create() {
  let nowMs = start;
  const due: { readonly delayMs: number; readonly run: () => void }[] = [];
  const failures: string[] = [];
  let respond: () => Promise<HttpsResponse> = () => new Promise(() => {});
  const send = mock.fn(() => respond());
  const source = createRootKeySource({
    url: "https://payments.developers.google.com/paymentmethodtoken/keys.json",
    send,
    clock: { now: () => new Date(nowMs) },
    timers: {
      after(delayMs, run) {
        const timer = { delayMs, run };
        due.push(timer);
        return () => {
          if (due.includes(timer)) due.splice(due.indexOf(timer), 1);
        };
      },
    },
    onFailure: (code) => failures.push(code),
  });
  return {
    source,
    failures,
    requests: () => send.mock.callCount(),
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Ends the waits of all readers. Returns their durations. */
    endWaits() {
      const ended = due.splice(0);
      for (const { run } of ended) run();
      return ended.map(({ delayMs }) => delayMs);
    },
    respondWith(response: {
      readonly status?: number;
      readonly body?: string;
      readonly cacheControl?: string;
    }) {
      respond = () => Promise.resolve({ status: 200, cacheControl: "", body: "", ...response });
    },
    fail() {
      respond = () => Promise.reject(new ExchangeFailed("ECONNREFUSED"));
    },
    hang() {
      respond = () => new Promise(() => {});
    },
  };
}

test("the keys are requested once, and again only when the response's max-age has passed", async () => {
  const { source, respondWith, requests, pass } = create();
  respondWith({ body: keyList(start + 1_000 * minute), cacheControl: "public, max-age=600" });
  const [first, second] = await Promise.all([source.read(500), source.read(500)]);
  assert.equal(first?.length, 1);
  assert.equal(second, first);
  pass(9 * minute);
  await source.read(500);
  assert.equal(requests(), 1);
  pass(2 * minute);
  // The earlier copy is returned without a wait, and the request runs in the background.
  assert.equal((await source.read(500))?.length, 1);
  assert.equal(requests(), 2);
});

test("an unreachable server delays a reader without a copy by at most the given time", async () => {
  const { source, endWaits, requests } = create();
  const reading = Promise.all([source.read(500), source.read(4_000)]);
  assert.deepEqual(endWaits(), [500, 4_000]);
  assert.deepEqual(await reading, [null, null]);
  assert.equal(requests(), 1);
});

test("after a failure no request is sent for some seconds, and the failure is reported once", async () => {
  const { source, fail, respondWith, requests, pass, failures } = create();
  fail();
  assert.equal(await source.read(500), null);
  assert.equal(await source.read(500), null);
  pass(14_000);
  assert.equal(await source.read(500), null);
  assert.deepEqual([requests(), failures], [1, ["ECONNREFUSED"]]);
  respondWith({ body: keyList(start + 1_000 * minute) });
  pass(2_000);
  assert.equal((await source.read(500))?.length, 1);
  assert.equal(requests(), 2);
});

test("the last copy is used during an outage until its keys expire", async () => {
  const { source, respondWith, fail, hang, pass, endWaits } = create();
  respondWith({ body: keyList(start + 180 * minute), cacheControl: "max-age=60" });
  await source.read(500);
  fail();
  pass(170 * minute);
  assert.equal((await source.read(500))?.length, 1);
  hang();
  pass(11 * minute);
  const reading = source.read(500);
  assert.deepEqual(endWaits(), [500]);
  assert.equal(await reading, null);
});

for (const [problem, response, code] of [
  ["an error status", { status: 503 }, "STATUS_503"],
  ["a body without keys", { body: '{"keys":[]}' }, "NO_KEYS"],
  ["a body with only expired keys", { body: keyList(start) }, "NO_KEYS"],
  ["a body that is not JSON", { body: "<html>" }, "UNREADABLE_KEYS"],
] as const) {
  test(`${problem} is a failure and replaces no copy`, async () => {
    const { source, respondWith, failures, pass, requests } = create();
    respondWith({ body: keyList(start + 1_000 * minute), cacheControl: "max-age=60" });
    const first = await source.read(500);
    respondWith(response);
    pass(2 * minute);
    assert.deepEqual(await source.read(500), first);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(failures.length, 1);
    assert.ok(`${failures[0]}`.startsWith(code), `${failures[0]}`);
    assert.deepEqual(await source.read(500), first);
    assert.equal(requests(), 2);
  });
}
