import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizationOutcome as adyenOutcome } from "./adyen/responses.ts";
import { unexpected } from "./certify-payments.ts";
import { authorizationOutcome as checkoutComOutcome } from "./checkout-com/responses.ts";
import { paymentOutcome as stripeOutcome } from "./stripe/responses.ts";

test("a finding about an unusable response ends with one period", () => {
  const response = { status: 502, headers: {}, body: "<html>" };
  for (const outcomeOf of [adyenOutcome, checkoutComOutcome, stripeOutcome]) {
    const outcome = outcomeOf(response, {} as never, new Date(0));
    assert.equal(
      unexpected("approved", outcome).message,
      "Expected 'approved'. The acquirer's response: unknown, invalid_response, the response has status 502.",
    );
  }
});
