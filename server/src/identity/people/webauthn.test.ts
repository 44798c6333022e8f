import assert from "node:assert/strict";
import { test } from "node:test";
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
