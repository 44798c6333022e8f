import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "@florin/contract/errors.ts";
import { fateAfter } from "./fate.ts";
import { ApiProblem } from "./problem.ts";

const refused = (status: number, code: ErrorCode) =>
  new ApiProblem(status, {
    type: "invalid_request_error",
    code,
    message: "No.",
  } as ApiProblem["facts"]);

test("what was refused was not done, and what had no answer may have been", () => {
  assert.equal(fateAfter(refused(400, "amount_too_large"), false), "not done");
  assert.equal(fateAfter(new ApiProblem(0, null), false), "unknown");
  assert.equal(fateAfter(refused(500, "internal_error"), false), "unknown");
});

test("once an answer was lost, no refusal of a later try gives its key away", () => {
  assert.equal(fateAfter(refused(400, "amount_too_large"), true), "unknown");
});

test("the gate says nothing of a request whose first answer was lost", () => {
  assert.equal(fateAfter(refused(401, "sign_in_required"), false), "unknown");
  assert.equal(fateAfter(refused(429, "endpoint_rate_limit_exceeded"), false), "unknown");
});

test("a key that belongs to another request tells that the one before has arrived", () => {
  const conflict = refused(422, "idempotency_key_in_use");
  assert.equal(fateAfter(conflict, true), "the one before was done");
  assert.doesNotMatch(conflict.message, /Key/);
});
