import assert from "node:assert/strict";
import { test } from "node:test";
import { browserAddress, isSafeAddress } from "./browser-address.ts";
import { relyingParty } from "./passkey.ts";
import { sessionCookie, tokenIn } from "./session-cookie.ts";

test("the origin is localhost on a developer's machine and the configured URL elsewhere", () => {
  const addresses = {
    "http://127.0.0.1:4242": "http://localhost:4242",
    "http://0.0.0.0:4242": "http://localhost:4242",
    "http://[::1]:4242": "http://localhost:4242",
    "https://pay.example.com": "https://pay.example.com",
    "http://192.168.1.5:4242": "http://192.168.1.5:4242",
  };
  for (const [publicUrl, address] of Object.entries(addresses)) {
    assert.equal(browserAddress(publicUrl), address);
  }
  assert.equal(relyingParty("https://pay.example.com:8443").id, "pay.example.com");
});

test("an https URL and localhost are secure", () => {
  const safe = [
    "https://pay.example.com",
    "http://localhost:4242",
    "http://127.0.0.1",
    "http://[::1]:1",
  ];
  const open = [
    "http://pay.example.com",
    "http://192.168.1.5:4242",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
  ];
  assert.deepEqual([...safe, ...open].filter(isSafeAddress), safe);
});

test("the session token is read only from the cookie with its name", () => {
  const pair = sessionCookie("token").split(";", 1)[0];
  assert.equal(tokenIn(`theme=dark; ${pair}; a=b`), "token");
  assert.equal(tokenIn("florin_session=token; x__Host-florin_session=token"), null);
  assert.equal(tokenIn("__Host-florin_session="), null);
  assert.equal(tokenIn(undefined), null);
});
