import Type from "typebox";

/** Below this the fixed part of any fee would eat the payment. */
export const smallestAmount = 50;

/** Eight digits, the most that card networks carry. */
export const largestAmount = 99_999_999;

/** An amount that a request asks to move. Its bounds have error codes of their own (`amount_too_small`, …). */
export function amountToCharge(description: string) {
  return Type.Integer({
    minimum: smallestAmount,
    maximum: largestAmount,
    "x-florin": "amount",
    description: `${description} In the smallest unit of the currency: 1999 is $19.99, and ¥1999.`,
  });
}

/** A part of an amount that was charged before: as small as one unit. */
export function amountToMove(description: string) {
  return Type.Integer({
    minimum: 1,
    maximum: largestAmount,
    "x-florin": "amount",
    description: `${description} In the smallest unit of the currency.`,
  });
}

/** An amount that the service tells. */
export function amount(description: string) {
  return Type.Integer({
    minimum: 0,
    description: `${description} In the smallest unit of the currency.`,
  });
}

/** Which currencies exist is a table of the server's; an unknown one is answered `currency_unsupported`. */
export function currency() {
  return Type.String({
    minLength: 1,
    maxLength: 32,
    description: "The ISO 4217 code in lower case, such as `usd`.",
  });
}
