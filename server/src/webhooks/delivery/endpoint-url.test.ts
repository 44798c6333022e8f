import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { parseEndpointUrl } from "./endpoint-url.ts";
import { addressRules, privateNetworks } from "./ip-address-rules.ts";
import { isPublicAddress } from "./public-ip-address.ts";

type Policy = { livemode: boolean; networks: readonly string[] };
const live = { livemode: true, networks: privateNetworks };
const strictTest = { livemode: false, networks: [] };
const demo = { livemode: false, networks: privateNetworks };

const parse = (text: string, { livemode, networks }: Policy) =>
  parseEndpointUrl(text, livemode, addressRules(networks)({ livemode }));

function rejected(text: string, policy: Policy): void {
  assert.throws(
    () => parse(text, policy),
    (error) =>
      error instanceof ApiError && error.code === "url_invalid" && error.details.param === "url",
    text,
  );
}

test("live mode accepts only https on the public internet, regardless of FLORIN_PRIVATE_WEBHOOKS", () => {
  assert.equal(parse("https://shop.example/hook?a=1#x", live), "https://shop.example/hook?a=1");
  rejected("http://shop.example/", live);
  rejected("https://127.0.0.1/", live);
  rejected("https://localhost/", live);
});

test("test mode accepts http, and private addresses only if FLORIN_PRIVATE_WEBHOOKS allows them", () => {
  assert.equal(parse("http://shop.example", strictTest), "http://shop.example/");
  assert.equal(parse("http://localhost:4000/hook", demo), "http://localhost:4000/hook");
  assert.equal(parse("http://[::1]:4000/", demo), "http://[::1]:4000/");
});

test("every spelling of a private address is recognized", () => {
  const spellings = [
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://localhost./",
    "http://LOCALHOST/",
    "http://a.localhost/",
    "http://intranet/",
    "http://printer.local/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://169.254.169.254/",
    "http://10.0.0.1/",
    "http://100.64.0.1/",
    "http://192.168.1.1/",
    "http://metadata.google.internal/",
  ];
  for (const spelling of spellings) rejected(spelling, strictTest);
});

test("an allowlist permits only its networks, and 'on' never permits link-local addresses", () => {
  const policy = { livemode: false, networks: ["10.1.0.0/16", "fd00:1::/32"] };
  for (const text of ["http://10.1.2.3/", "http://[fd00:1::9]/"])
    assert.equal(parse(text, policy), text);
  for (const text of ["http://10.2.0.1/", "http://127.0.0.1/", "http://[fd00:2::1]/"]) {
    rejected(text, policy);
  }
  for (const text of ["http://169.254.169.254/", "http://[fe80::1]/", "http://0.0.0.0/"]) {
    rejected(text, demo);
  }
});

test("credentials, other schemes and malformed URLs are rejected", () => {
  for (const text of [
    "https://user@shop.example/",
    "https://:secret@shop.example/",
    "ftp://shop.example/",
    "//shop.example",
    "shop",
  ]) {
    rejected(text, demo);
  }
});

test("an address is public only if the IANA registries list it as global", () => {
  for (const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00::1"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
  for (const address of [
    "0.0.0.0",
    "172.31.255.255",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "4000::1",
    "2606:4700::1%eth0",
    "name",
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});
