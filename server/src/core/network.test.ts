import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf, plainAddress, siteOf } from "./network.ts";

for (const [ip, plain, network] of [
  ["203.0.113.7", "203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113.7"],
  ["::FFFF:CB00:7107", "203.0.113.7", "203.0.113.7"],
  ["2001:DB8:0:0::1", "2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::ffff:1:2:3:4", "2001:db8:0:ffff:1:2:3:4", "2001:db8:0:ffff::/64"],
  ["2001:0db8:0001:0002:0003:0004:0005:0006", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["::1", "::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80::1", "fe80:0:0:0::/64"],
  ["nonsense", "nonsense", "unknown"],
  ["203.000.113.007", "203.000.113.007", "unknown"],
  ["203.0.113.7:51234", "203.0.113.7", "203.0.113.7"],
  ["[2001:DB8::1]:51234", "2001:db8::1", "2001:db8:0:0::/64"],
] as const) {
  test(`${ip} is ${plain} in the network ${network}`, () => {
    assert.deepEqual([plainAddress(ip), networkOf(ip)], [plain, network]);
  });
}

for (const [forwarded, network] of [
  ["203.0.113.7:51234", "203.0.113.7"],
  ["[2001:db8::1]:51234", "2001:db8:0:0::/64"],
  ["[2001:db8::1]", "2001:db8:0:0::/64"],
  ["[::ffff:203.0.113.7]:80", "203.0.113.7"],
  ["203.0.113.7:x", "unknown"],
  ["x".repeat(16_000), "unknown"],
  ["", "unknown"],
] as const) {
  test(`the forwarded value ${forwarded.slice(0, 30)} belongs to the network ${network}`, () => {
    assert.equal(networkOf(forwarded), network);
  });
}

test("all networks of an IPv6 /48 are one site, and an IPv4 address has no site", () => {
  assert.equal(siteOf("2001:db8:7:1::1"), "2001:db8:7::/48");
  assert.equal(siteOf("2001:db8:7:ffff::1"), "2001:db8:7::/48");
  assert.equal(siteOf("2001:db8::1"), "2001:db8:0::/48");
  assert.equal(siteOf("::ffff:203.0.113.7"), null);
  assert.equal(siteOf("nonsense"), null);
});
