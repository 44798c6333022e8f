import assert from "node:assert/strict";
import { test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { statusExplanation, statusReason } from "./status-explanation.ts";

const unknown = {
  status: "processing",
  pending_reason: "outcome_unknown",
  decline_code: null,
  failure_message: null,
  disputed: false,
  reversal_pending: false,
} as Charge;

test("the explanation of a live payment with an unknown outcome states what resolves it and the risk", () => {
  const text = (livemode: boolean) => statusExplanation({ ...unknown, livemode })?.text ?? "";
  assert.match(
    text(true),
    /acquirer does not report.*reversed.*operator.*charge the customer twice/,
  );
  assert.match(text(false), /Florin keeps checking/);
});

test("the explanation of a payment that is being canceled states that it can no longer succeed", () => {
  const canceled = { ...unknown, livemode: true, reversal_pending: true };
  assert.match(
    statusExplanation(canceled)?.text ?? "",
    /^Being canceled.*can no longer succeed.*fails when the acquirer confirms/,
  );
  const inReview = { ...canceled, pending_reason: "manual_review" } as const;
  assert.match(statusExplanation(inReview)?.text ?? "", /can no longer succeed.*must review/);
});

test("the explanation of a capture that failed later does not suggest trying the same payment again", () => {
  const failed = {
    ...unknown,
    status: "failed",
    decline_code: "processing_error",
    failure_balance_transaction_id: "txn_01jb",
  } as Charge;
  assert.match(statusExplanation(failed)?.text ?? "", /could not collect the amount/);
});

test("the explanation of a decline begins with the reason that the list and the timeline show", () => {
  const declined = { ...unknown, status: "failed", decline_code: "incorrect_cvc" } as Charge;
  const explanation = statusExplanation(declined);
  assert.equal(explanation?.title, statusReason(declined));
  assert.match(explanation?.text ?? "", /^The security code does not match.*enter the code again/);
});
