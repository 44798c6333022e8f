import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../primitives/api-error.ts";
import { parseEndpointUrl } from "./endpoint-url.ts";
import { isPublicAddress } from "./public-address.ts";

const live = { livemode: true, allowPrivateAddresses: true };
const strictTest = { livemode: false, allowPrivateAddresses: false };
const demo = { livemode: false, allowPrivateAddresses: true };

function refused(text: string, rules: typeof live): void {
  assert.throws(
    () => parseEndpointUrl(text, rules),
    (error) =>
      error instanceof ApiError && error.code === "url_invalid" && error.details.param === "url",
    text,
  );
}

test("live mode takes https on the public internet, whatever the setting says", () => {
  assert.equal(
    parseEndpointUrl("https://shop.example/hook?a=1#x", live),
    "https://shop.example/hook?a=1",
  );
  refused("http://shop.example/", live);
  refused("https://127.0.0.1/", live);
  refused("https://localhost/", live);
});

test("test mode takes http, and private addresses only where the setting allows them", () => {
  assert.equal(parseEndpointUrl("http://shop.example", strictTest), "http://shop.example/");
  assert.equal(parseEndpointUrl("http://localhost:4000/hook", demo), "http://localhost:4000/hook");
  assert.equal(parseEndpointUrl("http://[::1]:4000/", demo), "http://[::1]:4000/");
});

test("every spelling of a private address is seen through", () => {
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
  for (const spelling of spellings) refused(spelling, strictTest);
});

test("credentials, other schemes and nonsense are refused", () => {
  for (const text of [
    "https://user@shop.example/",
    "https://:secret@shop.example/",
    "ftp://shop.example/",
    "//shop.example",
    "shop",
  ]) {
    refused(text, demo);
  }
});

test("an address is public only when the registries call it global", () => {
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
