import assert from "node:assert/strict";
import { test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { statusExplanation } from "./status-explanation.ts";

const unknown = {
  status: "processing",
  pending_reason: "outcome_unknown",
  decline_code: null,
  failure_message: null,
  disputed: false,
} as Charge;

test("the explanation of a live payment with an unknown outcome states what resolves it and the risk", () => {
  const text = (livemode: boolean) => statusExplanation({ ...unknown, livemode })?.text ?? "";
  assert.match(
    text(true),
    /acquirer does not report.*reversed.*operator.*charge the customer twice/,
  );
  assert.match(text(false), /Florin keeps checking/);
});
