import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclineDescription, declineCodes } from "@florin/contract/declines.ts";
import { declineMessage } from "./decline-messages.ts";
import { words } from "./locales/en.ts";

/** The codes that have their own message in the API, while the form explains them with its generic message. */
const apiOnly = [
  "duplicate_transaction",
  "incorrect_address",
  "incorrect_pin",
  "invalid_amount",
  "invalid_pin",
  "new_account_information_available",
  "offline_pin_required",
  "online_or_offline_pin_required",
];

test("the form explains a decline with the same words as the API", () => {
  const generic = declineCodes.generic_decline.customerMessage;
  for (const [code, decline] of Object.entries<DeclineDescription>(declineCodes)) {
    // For this code, the form has its own text, which introduces the test cards below it.
    if (code === "testmode_decline") continue;
    const { errorCode, customerMessage } = decline;
    // For a decline with the generic message, the service sends the form a generic code.
    const shown =
      customerMessage === generic
        ? declineMessage(words, "card_declined", "generic_decline")
        : declineMessage(words, errorCode, code);
    assert.equal(shown, apiOnly.includes(code) ? generic : customerMessage, code);
  }
});
