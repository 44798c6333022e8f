import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { newId } from "../../../core/ids.ts";
import { appleRootCertificate } from "./apple-root-certificate.ts";
import { createSessionSlots, parseValidationUrl } from "./merchant-session.ts";

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

test("ten requests of an account and fifty of the process wait at the same time", () => {
  const slots = createSessionSlots();
  const accounts = Array.from({ length: 6 }, () => newId("acct", new Date()));
  const [first, second] = accounts as [(typeof accounts)[0], (typeof accounts)[0]];
  const ends = Array.from({ length: 10 }, () => slots.take(first));
  assert.ok(ends.every((end) => end !== null));
  assert.equal(slots.take(first), null);
  ends[0]?.();
  assert.ok(slots.take(first));
  assert.equal(slots.take(first), null);
  for (const account of accounts.slice(1, 5)) {
    for (let count = 0; count < 10; count++) assert.ok(slots.take(account));
  }
  assert.equal(slots.take(accounts[5] as typeof first), null);
  ends[1]?.();
  assert.ok(slots.take(accounts[5] as typeof first));
  assert.equal(slots.take(second), null);
});

test("the root certificate is Apple Root CA - G3", () => {
  const { fingerprint256, subject } = new X509Certificate(appleRootCertificate);
  assert.equal(
    fingerprint256,
    "63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79",
  );
  assert.match(subject, /CN=Apple Root CA - G3/);
});
