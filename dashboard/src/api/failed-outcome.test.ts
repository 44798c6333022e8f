import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "@florin/contract/errors.ts";
import { outcomeAfterFailure } from "./failed-outcome.ts";
import { ApiProblem } from "./problem.ts";

const rejected = (status: number, code: ErrorCode) =>
  new ApiProblem(status, {
    type: "invalid_request_error",
    code,
    message: "No.",
  } as ApiProblem["details"]);

test("a rejected request was not executed, and a request without a response may have been", () => {
  assert.equal(outcomeAfterFailure(rejected(400, "amount_too_large"), false), "rejected");
  assert.equal(outcomeAfterFailure(new ApiProblem(0, null), false), "unknown");
  assert.equal(outcomeAfterFailure(rejected(500, "internal_error"), false), "unknown");
});

test("after a lost response, a rejected retry does not release the key", () => {
  assert.equal(outcomeAfterFailure(rejected(400, "amount_too_large"), true), "unknown");
});

test("after a 401, 403 or 429, the outcome of an earlier request without a response stays unknown", () => {
  assert.equal(outcomeAfterFailure(rejected(401, "sign_in_required"), false), "unknown");
  assert.equal(
    outcomeAfterFailure(rejected(429, "endpoint_rate_limit_exceeded"), false),
    "unknown",
  );
});

test("idempotency_key_in_use means that the earlier request was executed", () => {
  const conflict = rejected(422, "idempotency_key_in_use");
  assert.equal(outcomeAfterFailure(conflict, true), "completed_earlier");
  assert.doesNotMatch(conflict.message, /Key/);
});
