import Type from "typebox";
import { maxAmount } from "./currency.ts";

/**
 * An amount in a request. The schema checks only the widest bounds of all currencies. The operation then checks the
 * account's bounds for the currency of the request. Both checks report the same error codes (`amount_too_small`, …).
 */
export function amountToCharge(description: string) {
  return Type.Integer({
    minimum: 1,
    maximum: maxAmount,
    "x-florin": "amount",
    description: `${description} In the smallest unit of the currency: \`1999\` is $19.99 or ¥1999. Each currency has its own limits, which the documentation lists under Currencies.`,
  });
}

/** An amount to capture, refund or dispute: all or part of the amount of an earlier charge. The minimum is one unit. */
export function amountToMove(description: string) {
  return Type.Integer({
    minimum: 1,
    maximum: maxAmount,
    "x-florin": "amount",
    description: `${description} In the smallest unit of the currency.`,
  });
}

/** An amount in a response. */
export function amount(description: string) {
  return Type.Integer({
    minimum: 0,
    description: `${description} In the smallest unit of the currency.`,
  });
}

/**
 * A currency code. The schema does not list the supported codes, because the error for any other code would then be a
 * general one instead of `currency_unsupported`. The OpenAPI document and the SDK's types list the codes.
 */
export function currency() {
  return Type.String({
    minLength: 1,
    maxLength: 32,
    "x-florin": "currency",
    description: "ISO 4217 code in lower case, such as `usd`.",
  });
}
