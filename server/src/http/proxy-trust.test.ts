import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyTrustWarning } from "./proxy-trust.ts";

test("an https address without a trusted proxy is warned of, and names the setting to change", () => {
  const settings = { publicUrl: "https://pay.example.com", trustedProxies: [] };
  assert.match(proxyTrustWarning(settings) ?? "", /Set FLORIN_TRUSTED_PROXIES/);
});

for (const [what, publicUrl, trustedProxies] of [
  ["a trusted proxy", "https://pay.example.com", ["127.0.0.0/8"]],
  ["plain http on the own machine", "http://localhost:4242", []],
  ["no public address", null, []],
] as const) {
  test(`there is no warning for ${what}`, () => {
    assert.equal(proxyTrustWarning({ publicUrl, trustedProxies }), null);
  });
}
