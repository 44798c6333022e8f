import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { anyCharacter } from "../../../test/any-character.ts";
import { newSigningSecret, signatureHeaders, signingKey } from "./signature.ts";

const stripe = new Stripe("sk_test_unused");
const id = "evt_01jb0000000000000000000000";

/** Both libraries compare the timestamp with the machine's clock. */
const now = () => Math.floor(Date.now() / 1000);

function headersFor(body: Buffer, secrets: string[], timestamp = now()) {
  return signatureHeaders(secrets.map(signingKey), { id, body, timestamp });
}

const payload = fc.record({
  text: fc.string({ unit: anyCharacter, maxLength: 200 }),
  filler: fc.integer({ min: 0, max: 65_536 }),
});
const body = payload.map(({ text, filler }) =>
  Buffer.from(JSON.stringify({ id, text, filler: "ü".repeat(filler / 2) })),
);

test("a secret is whsec_ followed by the standard base64 of 32 bytes", () => {
  const secret = newSigningSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(Buffer.from(secret.slice(6), "base64").length, 32);
  assert.notEqual(secret, newSigningSecret());
});

test("Stripe's constructEvent accepts every body with the secret as shown", () => {
  fc.assert(
    fc.property(body, (bytes) => {
      const secret = newSigningSecret();
      const header = headersFor(bytes, [secret])["service-signature"];
      assert.equal(stripe.webhooks.constructEvent(bytes, header, secret).id, id);
    }),
    { numRuns: 50 },
  );
});

test("the Standard Webhooks library accepts every body with the secret as shown", () => {
  fc.assert(
    fc.property(body, (bytes) => {
      const secret = newSigningSecret();
      const headers = { ...headersFor(bytes, [secret]) };
      assert.deepEqual(new Webhook(secret).verify(bytes, headers), JSON.parse(bytes.toString()));
    }),
    { numRuns: 50 },
  );
});

test("during a roll both secrets are valid, and a third is not", () => {
  const [old, current, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
  const bytes = Buffer.from('{"id":"é"}');
  const headers = { ...headersFor(bytes, [current, old]) };
  assert.match(headers["service-signature"], /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  for (const secret of [old, current]) {
    stripe.webhooks.constructEvent(bytes, headers["service-signature"], secret);
    new Webhook(secret).verify(bytes, headers);
  }
  assert.throws(() => stripe.webhooks.constructEvent(bytes, headers["service-signature"], other));
  assert.throws(() => new Webhook(other).verify(bytes, headers));
});

test("both libraries reject a body with one changed bit", () => {
  const secret = newSigningSecret();
  const bytes = Buffer.from(JSON.stringify({ id, text: "日本" }));
  const headers = { ...headersFor(bytes, [secret]) };
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.throws(() =>
      stripe.webhooks.constructEvent(changed, headers["service-signature"], secret),
    );
    assert.throws(() => new Webhook(secret).verify(changed, headers));
  }
});

test("a signature is invalid with another timestamp, and is rejected after five minutes", () => {
  const secret = newSigningSecret();
  const bytes = Buffer.from("{}");
  const old = headersFor(bytes, [secret], now() - 301);
  const forged = old["service-signature"].replace(/^t=\d+/, `t=${now()}`);
  assert.throws(() => stripe.webhooks.constructEvent(bytes, old["service-signature"], secret));
  assert.throws(() => stripe.webhooks.constructEvent(bytes, forged, secret));
  const restamped = { ...old, "webhook-timestamp": String(now()) };
  assert.throws(() => new Webhook(secret).verify(bytes, { ...old }));
  assert.throws(() => new Webhook(secret).verify(bytes, restamped));
});
