import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectToken, tokenIdOf } from "./wallet-tokens.ts";

const id = "tok_1Q0PsIJvEtkwdCNYMSaVuRz6";
const token = (change: object = {}) => ({
  id,
  object: "token",
  used: false,
  card: { tokenization_method: "google_pay" },
  ...change,
});
const reject = (status: number, body: unknown) =>
  rejectToken({ status, headers: {}, body: JSON.stringify(body) }, id);
const error = (code: string) => ({ error: { type: "invalid_request_error", code } });

test("only the response of Google Pay with the ID of a token is accepted", () => {
  assert.equal(tokenIdOf(JSON.stringify(token())), id);
  for (const text of [
    "",
    "null",
    id,
    JSON.stringify({ ...token(), object: "card" }),
    JSON.stringify({ ...token(), id: "tok_1/../../charges" }),
    JSON.stringify({ ...token(), id: ["tok_1Q0PsIJvEtkwdCNYMSaVuRz6"] }),
  ]) {
    assert.equal(tokenIdOf(text), null, text);
  }
});

test("an unused token that Google Pay created is accepted", () => {
  assert.equal(reject(200, token()), null);
  assert.equal(reject(200, token({ card: { tokenization_method: "android_pay" } })), null);
});

test("a token of a typed card or of another wallet, and a used one, are rejected", () => {
  for (const change of [
    { card: { tokenization_method: null } },
    { card: {} },
    { card: null },
    { card: { tokenization_method: "apple_pay" } },
    { used: true },
    { used: undefined },
  ]) {
    assert.partialDeepStrictEqual(reject(200, token(change)), {
      kind: "rejected",
      why: "wallet_token",
    });
  }
  assert.partialDeepStrictEqual(reject(404, error("resource_missing")), {
    kind: "rejected",
    why: "wallet_token",
  });
});

test("the payment is not sent if the token cannot be read", () => {
  assert.deepEqual(reject(500, error("api_error")), { kind: "not_sent" });
  assert.deepEqual(reject(502, "<html>"), { kind: "not_sent" });
  assert.deepEqual(reject(200, token({ id: "tok_another00" })), { kind: "not_sent" });
  // A restricted key without read access to tokens. Three rejections as `credentials` would suspend the connection.
  assert.partialDeepStrictEqual(reject(403, error("more_permissions_required")), {
    kind: "rejected",
    why: "invalid_request",
  });
  assert.partialDeepStrictEqual(reject(401, error("api_key_invalid")), {
    kind: "rejected",
    why: "credentials",
  });
  assert.partialDeepStrictEqual(reject(429, error("rate_limit")), {
    kind: "rejected",
    why: "rate_limited",
  });
});
