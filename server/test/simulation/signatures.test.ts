import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { verify } from "@florin/sdk/webhooks";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { newId } from "../../src/core/ids.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rollSecret, type WebhookEndpoint } from "../../src/webhooks/delivery/endpoint.ts";
import { newSigningSecret, signatureHeaders } from "../../src/webhooks/delivery/signature.ts";
import {
  createSigningKeyCache,
  encryptSigningSecret,
} from "../../src/webhooks/delivery/signing-keys.ts";
import { dose, seed } from "../test-size.ts";
import { type Random, seededRandom } from "./seeded-random.ts";

const events = dose("events", { short: 100, long: 10_000 });
const flips = dose("flips", { short: 400, long: 40_000 });

type Signed = { readonly body: Buffer; readonly headers: Record<string, string> };

/** The signature verifiers that webhook receivers use. Each throws if it rejects the signature. */
const verifiers: Record<string, (signed: Signed, secret: string) => unknown> = {
  stripe: ({ body, headers }, secret) =>
    new Stripe("sk_test_unused").webhooks.constructEvent(
      body,
      headers["service-signature"] ?? "",
      secret,
    ),
  standardwebhooks: ({ body, headers }, secret) => new Webhook(secret).verify(body, headers),
  svix: ({ body, headers }, secret) => new SvixWebhook(secret).verify(body, headers),
  sdk: (signed, secret) => verify(signed, secret),
};

test(`verifiers accept ${events} events during three secret rolls, and reject ${flips} single-bit changes (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const directory = await mkdtemp(join(tmpdir(), "florin-signatures-"));
  t.after(() => rm(directory, { recursive: true }));
  const keys = createLocalKeyProvider(directory);
  const signingKeys = createSigningKeyCache(keys);
  const now = new Date();
  const scope = { account: newId("acct", now), livemode: false };
  const id = newId("we", now);

  /** The secrets that are valid for the endpoint, newest first. */
  let secrets: string[] = [newSigningSecret()];
  let endpoint: WebhookEndpoint = {
    scope,
    id,
    url: "https://shop.example/",
    enabledEvents: ["*"],
    description: null,
    status: "enabled",
    metadata: {},
    secrets: {
      current: await encryptSigningSecret(keys, { scope, id }, secrets[0] as string),
      previous: null,
    },
    failing: null,
    lastFailure: null,
    version: 1,
  };
  let accepted = 0;
  let rejected = 0;
  for (let roll = 0; roll <= 3; roll++) {
    if (roll > 0) {
      const secret = newSigningSecret();
      endpoint = rollSecret(
        endpoint,
        await encryptSigningSecret(keys, { scope, id }, secret),
        now,
        86_400,
      );
      secrets = [secret, secrets[0] as string];
    }
    for (let n = 0; n < events / 4; n++) {
      const signed = await sign();
      for (const secret of secrets) {
        for (const [name, verifySignature] of Object.entries(verifiers)) {
          await verifySignature(signed, secret);
          accepted++;
          const share = flips / events;
          // Every verifier must reject each change of a single bit.
          for (let flip = 0; flip < share / secrets.length; flip++) {
            const [changed, where] = changeOneBit(random, signed, name, secrets.indexOf(secret));
            await assert.rejects(
              async () => verifySignature(changed, secret),
              `${name} accepted a changed ${where}`,
            );
            rejected++;
          }
        }
      }
    }
  }
  t.diagnostic(`${accepted} signatures accepted, ${rejected} changed events rejected`);

  async function sign(): Promise<Signed> {
    const event = newId("evt", now);
    const body = Buffer.from(JSON.stringify({ id: event, type: "ping", text: anyText(random) }));
    const timestamp = Math.floor(Date.now() / 1000);
    const current = await signingKeys(endpoint, now);
    return { body, headers: { ...signatureHeaders(current, { id: event, body, timestamp }) } };
  }
});

/** Returns a random Unicode string. Some strings are as long as the maximum body. */
function anyText(random: Random): string {
  const length = random.happens(0.05) ? random.between(1_000, 16_000) : random.between(0, 300);
  let text = "";
  for (let n = 0; n < length; n++) {
    const point = random.between(0, 0x10ffff - 0x800);
    text += String.fromCodePoint(point < 0xd800 ? point : point + 0x800);
  }
  return text;
}

/** Changes one bit of the body, the timestamp, the event ID, or the signature that belongs to this secret. */
function changeOneBit(
  random: Random,
  { body, headers }: Signed,
  verifier: string,
  which: number,
): [Signed, string] {
  const part = random.happens(0.7) ? "body" : random.happens(0.5) ? "signature" : "time";
  if (part === "body") {
    const changed = Buffer.from(body);
    const at = random.between(0, body.length - 1);
    changed[at] = (changed[at] as number) ^ (1 << random.between(0, 7));
    return [{ body: changed, headers }, part];
  }
  const isServiceFormat = verifier === "stripe" || verifier === "sdk";
  const name = isServiceFormat
    ? "service-signature"
    : part === "time"
      ? random.pick(["webhook-timestamp", "webhook-id"])
      : "webhook-signature";
  const text = Buffer.from(headers[name] as string, "latin1");
  const [from, to] = isServiceFormat
    ? locateInServiceSignature(part, which, text)
    : locateInStandardSignature(part, which, text);
  const at = random.between(from, to);
  // The headers are ASCII, which uses seven bits.
  text[at] = (text[at] as number) ^ (1 << random.between(0, 6));
  return [{ body, headers: { ...headers, [name]: text.toString("latin1") } }, `${part} (${name})`];
}

function locateInServiceSignature(part: string, which: number, text: Buffer): [number, number] {
  const comma = text.indexOf(",");
  if (part === "time") return [2, comma - 1];
  const from = comma + ",v1=".length + which * (",v1=".length + 64);
  return [from, from + 63];
}

function locateInStandardSignature(part: string, which: number, text: Buffer): [number, number] {
  if (part === "time") return [0, text.length - 1];
  const from = "v1,".length + which * ("v1,".length + 44 + 1);
  return [from, from + 43];
}
