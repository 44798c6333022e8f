import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { type AccountId, newId } from "../../../core/ids.ts";
import { ExchangeFailed, type HttpsRequest, type SendHttps } from "../https-request.ts";
import { appleRootCertificate } from "./apple-root-certificate.ts";
import {
  createSessionSlots,
  parseValidationUrl,
  requestMerchantSession,
} from "./merchant-session.ts";

const path = "/paymentservices/startSession";

test("only the URLs of Apple's servers are accepted", () => {
  const accepted = (url: string, isSandbox = false) => parseValidationUrl(url, isSandbox) !== null;
  for (const host of [
    "apple-pay-gateway.apple.com",
    "apple-pay-gateway-nc-pod3.apple.com",
    "apple-pay-gateway-pr-pod2-dr.apple.com",
    "cn-apple-pay-gateway.apple.com",
    "cn-apple-pay-gateway-sh-pod1.apple.com",
  ]) {
    assert.ok(accepted(`https://${host}${path}`), host);
    assert.ok(accepted(`https://${host}:443/paymentservices/paymentSession`), host);
  }
  for (const host of ["apple-pay-gateway-cert.apple.com", "cn-apple-pay-gateway-cert.apple.com"]) {
    assert.equal(accepted(`https://${host}${path}`), false, host);
    assert.ok(accepted(`https://${host}${path}`, true), host);
  }
});

test("a URL of another server, port, path or scheme is rejected", () => {
  const apple = "apple-pay-gateway.apple.com";
  for (const url of [
    `http://${apple}${path}`,
    `https://${apple}:8443${path}`,
    `https://${apple}/other`,
    `https://${apple}/paymentservices/startSession/`,
    `https://${apple}/paymentservices/../admin`,
    `https://${apple}${path}?x=1`,
    `https://${apple}${path}#x`,
    `https://user@${apple}${path}`,
    `https://user:password@${apple}${path}`,
    `https://evil.example${path}`,
    `https://${apple}.evil.example${path}`,
    `https://evil.example/${apple}${path}`,
    `https://apple-pay-gatewayevil.apple.com${path}`,
    `https://x.apple-pay-gateway.apple.com${path}`,
    `https://apple-pay-gateway-.apple.com${path}`,
    `https://apple-pay-gateway-a.b.apple.com${path}`,
    `https://apple-pay-gateway-x.apple.com${path}`,
    `https://apple-pay-gateway-nc-pod6.apple.com${path}`,
    `https://apple-pay-gateway-nc-pod1-cert.apple.com${path}`,
    `https://cn-apple-pay-gateway-nc-pod1.apple.com${path}`,
    `https://apple.com${path}`,
    `https://127.0.0.1${path}`,
    `https://[::1]${path}`,
    `https://${apple}\\@evil.example${path}`,
    "apple-pay-gateway.apple.com",
    "",
  ]) {
    assert.equal(parseValidationUrl(url, true), null, url);
  }
});

test("at most ten requests of an account and fifty of the process wait at the same time", () => {
  const slots = createSessionSlots();
  const take = (account: AccountId) => slots.take(account, newId("cs", new Date()));
  const accounts = Array.from({ length: 6 }, () => newId("acct", new Date()));
  const [first, second] = accounts as [AccountId, AccountId];
  const ends = Array.from({ length: 10 }, () => take(first));
  assert.ok(ends.every((end) => end !== null));
  assert.equal(take(first), null);
  ends[0]?.();
  assert.ok(take(first));
  assert.equal(take(first), null);
  for (const account of accounts.slice(1, 5)) {
    for (let count = 0; count < 10; count++) assert.ok(take(account));
  }
  assert.equal(take(accounts[5] as AccountId), null);
  ends[1]?.();
  assert.ok(take(accounts[5] as AccountId));
  assert.equal(take(second), null);
});

test("one request of a checkout session waits at a time", () => {
  const slots = createSessionSlots();
  const account = newId("acct", new Date());
  const session = newId("cs", new Date());
  const end = slots.take(account, session);
  assert.equal(slots.take(account, session), null);
  assert.ok(slots.take(account, newId("cs", new Date())));
  end?.();
  assert.ok(slots.take(account, session));
});

const request = {
  url: new URL(`https://apple-pay-gateway.apple.com${path}`),
  merchantId: "merchant.com.example",
  displayName: "Example",
  domain: "shop.example",
};

/** Requests a session with the private key. Returns the PEM that was sent, and the buffers after the request. */
async function sendWith(privateKey: Buffer, respond: SendHttps) {
  const sent: { text: string; pem: Buffer }[] = [];
  const send = (sending: HttpsRequest) => {
    const pem = sending.client?.privateKey as Buffer;
    sent.push({ text: pem.toString("latin1"), pem });
    return respond(sending);
  };
  const certificate = new X509Certificate(appleRootCertificate).raw;
  const result = await requestMerchantSession(send, { certificate, privateKey }, request);
  const [{ text, pem }] = sent as [(typeof sent)[0]];
  return { result, text, left: Buffer.concat([pem, privateKey]) };
}

test("the private key is sent in PEM, and overwritten after a session and after a failure", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  for (const [respond, kind] of [
    [async () => ({ status: 200, cacheControl: "", body: "{}" }), "session"],
    [() => Promise.reject(new ExchangeFailed("TIMEOUT")), "failed"],
  ] as const) {
    const { result, text, left } = await sendWith(Buffer.from(der), respond);
    assert.equal(result.kind, kind);
    assert.equal(text, privateKey.export({ format: "pem", type: "pkcs8" }));
    assert.deepEqual(left, Buffer.alloc(left.length));
  }
});

test("the PEM of a key of any length has the line breaks of RFC 7468", async () => {
  const respond = async () => ({ status: 200, cacheControl: "", body: "{}" });
  for (let length = 94; length < 100; length++) {
    const key = randomBytes(length);
    const lines = key.toString("base64").match(/.{1,64}/g) as string[];
    const { text } = await sendWith(key, respond);
    assert.deepEqual(text.split("\n"), [
      "-----BEGIN PRIVATE KEY-----",
      ...lines,
      "-----END PRIVATE KEY-----",
      "",
    ]);
  }
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { text } = await sendWith(privateKey.export({ format: "der", type: "pkcs8" }), respond);
  assert.ok(createPrivateKey(text).equals(privateKey));
});

test("the root certificate is Apple Root CA - G3", () => {
  const { fingerprint256, subject } = new X509Certificate(appleRootCertificate);
  assert.equal(
    fingerprint256,
    "63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79",
  );
  assert.match(subject, /CN=Apple Root CA - G3/);
});
