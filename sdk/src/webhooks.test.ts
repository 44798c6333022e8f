import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import Stripe from "stripe";
import { verify, WebhookError, type WebhookFault } from "./webhooks.ts";

/**
 * The official `stripe` library serves as an independent implementation. The library and the SDK must compute the same
 * signature.
 */
const stripe = new Stripe("sk_test_unused");
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const body = JSON.stringify({
  id: "evt_1",
  type: "payment.succeeded",
  data: { object: { name: "Zoë €" } },
});
const signedAt = 1_760_000_000;
const now = new Date(signedAt * 1000);

function header(payload = body, key = secret, timestamp = signedAt): string {
  return stripe.webhooks.generateTestHeaderString({ payload, secret: key, timestamp });
}

function delivery(signature: string | undefined, payload: string | Uint8Array = body) {
  return { body: payload, headers: { "service-signature": signature } };
}

async function faultOf(attempt: Promise<unknown>): Promise<WebhookFault | "believed"> {
  try {
    await attempt;
    return "believed";
  } catch (error) {
    assert.ok(error instanceof WebhookError, String(error));
    return error.fault;
  }
}

test("verify accepts a signature of Stripe's library and returns the event", async () => {
  const event = await verify(delivery(header()), secret, { now });
  assert.deepEqual(event, JSON.parse(body));
});

test("Stripe's library accepts a signature in Florin's format", () => {
  const v1 = createHmac("sha256", Buffer.from(secret)).update(`${signedAt}.${body}`).digest("hex");
  const event = stripe.webhooks.constructEvent(
    body,
    `t=${signedAt},v1=${v1}`,
    secret,
    300,
    undefined,
    signedAt * 1000,
  );
  assert.equal(event.id, "evt_1");
});

test("verify accepts any body, secret and timestamp that Stripe's library signs", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.json(),
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.integer({ min: 1, max: 4_000_000_000 }),
      async (payload, key, timestamp) => {
        const at = new Date(timestamp * 1000);
        const event = await verify(delivery(header(payload, key, timestamp), payload), key, {
          now: at,
        });
        assert.deepEqual(event, JSON.parse(payload));
      },
    ),
  );
});

test("one changed bit in the body or the header is rejected", async () => {
  const bytes = Buffer.from(body);
  const good = Buffer.from(header());
  await fc.assert(
    fc.asyncProperty(
      fc.nat(bytes.length * 8 - 1),
      fc.nat(good.length * 8 - 1),
      async (inBody, inHeader) => {
        const changedBody = flip(bytes, inBody);
        assert.equal(
          await faultOf(verify(delivery(header(), changedBody), secret, { now })),
          "signature_mismatch",
        );
        const changedHeader = flip(good, inHeader).toString("latin1");
        const fault = await faultOf(verify(delivery(changedHeader), secret, { now }));
        assert.ok(fault === "signature_mismatch" || fault === "header_malformed", fault);
      },
    ),
    { numRuns: 500 },
  );
});

function flip(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}

test("the timestamp tolerance is exactly five minutes in both directions", async () => {
  const at = (seconds: number) => ({ now: new Date((signedAt + seconds) * 1000) });
  assert.equal(await faultOf(verify(delivery(header()), secret, at(300))), "believed");
  assert.equal(await faultOf(verify(delivery(header()), secret, at(301))), "too_old");
  assert.equal(await faultOf(verify(delivery(header()), secret, at(-300))), "believed");
  assert.equal(await faultOf(verify(delivery(header()), secret, at(-301))), "in_the_future");
});

test("the system clock is used when no time is given", async () => {
  const recent = Math.floor(Date.now() / 1000);
  assert.equal(await faultOf(verify(delivery(header(body, secret, recent)), secret)), "believed");
  assert.equal(
    await faultOf(verify(delivery(header(body, secret, recent - 302)), secret)),
    "too_old",
  );
});

test("the error names its cause", async () => {
  const cases: [WebhookFault, string | undefined, string][] = [
    ["header_missing", undefined, secret],
    ["header_missing", "", secret],
    ["header_malformed", "nonsense", secret],
    ["header_malformed", `t=${signedAt}`, secret],
    ["header_malformed", "v1=00", secret],
    ["header_malformed", `t=soon,${header().split(",")[1]}`, secret],
    ["header_malformed", `t=1,${header()}`, secret],
    ["signature_mismatch", header(), "whsec_another"],
    ["signature_mismatch", header(), secret.replace("whsec_", "")],
    // A forger must not learn that an old body had a valid signature.
    ["signature_mismatch", header(body, "whsec_another", signedAt - 9999), secret],
  ];
  for (const [fault, signature, key] of cases) {
    assert.equal(await faultOf(verify(delivery(signature), key, { now })), fault, `${signature}`);
  }
});

test("a signed body that is not JSON has a different error from a forged one", async () => {
  assert.equal(await faultOf(verify(delivery(header("{"), "{"), secret, { now })), "body_not_json");
});

test("while a secret is being rolled, either secret is accepted", async () => {
  const old = "whsec_old";
  const twice = `${header()},${header(body, old).split(",")[1]}`;
  assert.equal(await faultOf(verify(delivery(twice), secret, { now })), "believed");
  assert.equal(await faultOf(verify(delivery(twice), old, { now })), "believed");
  assert.equal(await faultOf(verify(delivery(header()), [old, secret], { now })), "believed");
  assert.equal(
    await faultOf(verify(delivery(header()), [old, "whsec_older"], { now })),
    "signature_mismatch",
  );
});

test("an empty secret is a caller error, not a matching signature", async () => {
  await assert.rejects(verify(delivery(header()), "", { now }), TypeError);
  await assert.rejects(verify(delivery(header()), [], { now }), TypeError);
});

test("a fetch Request is verified from its stream, which is read once", async () => {
  const request = () =>
    new Request("https://shop.test/webhooks", {
      method: "POST",
      body,
      headers: { "Service-Signature": header() },
    });
  assert.equal((await verify(request(), secret, { now })).id, "evt_1");

  const parsed = request();
  await parsed.json();
  assert.equal(await faultOf(verify(parsed, secret, { now })), "body_already_parsed");
});

test("a body that a framework has already parsed is reported as the cause", async () => {
  const parsed = { body: JSON.parse(body), headers: { "service-signature": header() } };
  assert.equal(await faultOf(verify(parsed, secret, { now })), "body_already_parsed");
});

test("a Node request is verified from its stream, and a body that was already read is reported as the cause", async () => {
  const outcomes: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === "/parsed") await readAll(request);
    outcomes.push(await faultOf(verify(request, secret, { now })));
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  for (const path of ["/raw", "/parsed"]) {
    const headers = { "Service-Signature": header() };
    await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body, headers });
  }
  server.close();
  server.closeAllConnections();
  assert.deepEqual(outcomes, ["believed", "body_already_parsed"]);
});

async function readAll(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

test("the raw body can be an ArrayBuffer or the bytes of another realm", async () => {
  const bytes = new TextEncoder().encode(body);
  const foreign = runInNewContext("Uint8Array.from(bytes)", { bytes });
  assert.ok(!(foreign instanceof Uint8Array));
  for (const raw of [bytes.buffer, foreign, foreign.buffer, Buffer.from(body)]) {
    const request = { body: raw, headers: { "service-signature": header() } };
    assert.equal((await verify(request, secret, { now })).id, "evt_1");
  }
});

test("a Node request with an encoding is verified, even if a character is split between chunks", async () => {
  const stream = Readable.from([...Buffer.from(body)].map((byte) => Buffer.of(byte)));
  stream.setEncoding("utf8");
  const request = Object.assign(stream, { headers: { "service-signature": header() } });
  assert.equal((await verify(request, secret, { now })).id, "evt_1");
});

test("the error names a signing secret that cannot be one", async () => {
  const messageOf = (key: string) =>
    verify(delivery(header()), key, { now }).then(
      () => assert.fail(),
      ({ message }: Error) => message,
    );
  assert.match(await messageOf(`${secret}\n`), /contains white space/);
  assert.match(await messageOf("sk_test_123"), /must begin with whsec_/);
  assert.match(await messageOf("whsec_another"), /belongs to this endpoint/);
});

test("a body over 1 MiB is rejected in every form", async () => {
  const payload = "€".repeat(Math.ceil((1024 * 1024 + 1) / 3));
  const signature = header(payload);
  const forms = {
    text: delivery(signature, payload),
    bytes: delivery(signature, Buffer.from(payload)),
    stream: new Request("https://shop.test/webhooks", {
      method: "POST",
      body: payload,
      headers: { "Service-Signature": signature },
    }),
  };
  for (const [form, request] of Object.entries(forms)) {
    assert.equal(await faultOf(verify(request, secret, { now })), "body_too_large", form);
  }
  const body = JSON.stringify("x".repeat(1024 * 1024 - 2));
  assert.equal(await faultOf(verify(delivery(header(body), body), secret, { now })), "believed");
});

test("reading stops at the size limit of an unauthenticated body", async () => {
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent += 65_536;
      yield new Uint8Array(65_536);
    }
  }
  const stream = Object.assign(endless(), { headers: { "service-signature": header() } });
  assert.equal(await faultOf(verify(stream, secret, { now })), "body_too_large");
  assert.ok(sent < 2_000_000);
});
