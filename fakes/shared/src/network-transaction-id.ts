import { randomInt } from "node:crypto";
import { isLuhnValid } from "./luhn.ts";

/**
 * Returns the ID of a new payment in the format of the card's network: fifteen digits, or for Mastercard the network's
 * three letters, a six-digit BankNet reference and the date (docs.adyen.com/online-payments/tokenization, "network
 * transaction reference"). The fifteen digits never pass the check of a card number's last digit, so that a search for
 * card numbers does not find them.
 */
export function newNetworkTransactionId(isMastercard: boolean, nowMs: number): string {
  if (!isMastercard) return withoutCheckDigit();
  const date = new Date(nowMs).toISOString();
  return `MCC${digits(6)}${date.slice(5, 7)}${date.slice(8, 10)}`;
}

/** Returns true if the text has one of the formats of network transaction IDs. */
export function isNetworkTransactionId(text: string, isMastercard: boolean): boolean {
  return isMastercard ? /^[A-Z]{3}[0-9A-Z]{6,9}(\d{4})?$/.test(text) : /^\d{15}$/.test(text);
}

function withoutCheckDigit(): string {
  for (;;) {
    const id = `${randomInt(1, 10)}${digits(14)}`;
    if (!isLuhnValid(id)) return id;
  }
}

function digits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, "0");
}
