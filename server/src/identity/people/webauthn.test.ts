import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { androidRegistration } from "../../../test/android-attestation.ts";
import { maxBlockMs, measureBlockMs } from "../../../test/event-loop-block.ts";
import { callWebauthn } from "./webauthn.ts";

test("the first call loads the library without blocking the event loop", async () => {
  const calls = Promise.all([
    callWebauthn("generateAuthenticationOptions", { rpID: "localhost" }),
    callWebauthn("generateAuthenticationOptions", { rpID: "localhost" }),
  ]);
  const blockedMs = await measureBlockMs(() => calls);
  assert.ok(blockedMs < maxBlockMs, `${blockedMs} ms`);
  const [first, second] = await calls;
  assert.equal(first.rpId, "localhost");
  assert.notEqual(first.challenge, second.challenge);
});

test("an error of the library rejects only its call", async () => {
  const broken = callWebauthn("verifyAuthenticationResponse", {} as never);
  const good = callWebauthn("generateAuthenticationOptions", { rpID: "localhost" });
  await assert.rejects(broken);
  assert.equal((await good).rpId, "localhost");
});

test("the URL of a revocation list in an attestation is not requested", async () => {
  const requests: string[] = [];
  const list = createServer((request) => requests.push(request.url ?? "")).listen(0, "127.0.0.1");
  await once(list, "listening");
  const { port } = list.address() as AddressInfo;
  const origin = "https://pay.example";
  const challenge = "a-challenge-of-a-test";
  const revocationListUrl = `http://127.0.0.1:${port}/internal`;
  const registration = callWebauthn("verifyRegistrationResponse", {
    response: androidRegistration({ origin, challenge, revocationListUrl }),
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
  });
  // The root is checked after the revocation list, so this error proves that the verification came that far.
  await assert.rejects(registration, /not a known root certificate/);
  assert.deepEqual(requests, []);
  list.closeAllConnections();
  list.close();
});
