import assert from "node:assert/strict";
import { test } from "node:test";
import { mayBeRebound } from "./serve-metrics.ts";

const inTheNetwork = { localAddress: "10.0.0.7", configuredHost: "0.0.0.0" };
const byName = { localAddress: "10.0.0.7", configuredHost: "Florin.shop.example" };

test("a listener on a network address rejects domains that an attacker could resolve to that address", () => {
  for (const host of [
    "evil.example",
    "evil.example:9464",
    "10.0.0.7.evil.example",
    "a b",
    undefined,
  ]) {
    assert.equal(mayBeRebound(host, inTheNetwork), true, String(host));
  }
});

test("a listener on a network address accepts IP addresses, single labels and its configured name", () => {
  for (const host of ["10.0.0.7:9464", "[fd00::2]:9464", "florin:9464", "localhost"]) {
    assert.equal(mayBeRebound(host, inTheNetwork), false, host);
  }
  assert.equal(mayBeRebound("florin.shop.example:9464", byName), false);
  assert.equal(mayBeRebound("other.shop.example", byName), true);
});
