import { randomInt } from "node:crypto";

/**
 * Returns the ID of a new payment in the format of the card's network: fifteen digits, or for Mastercard the network's
 * three letters, a six-digit BankNet reference and the date
 * (docs.adyen.com/online-payments/tokenization, "network transaction reference").
 */
export function newNetworkTransactionId(isMastercard: boolean, nowMs: number): string {
  if (!isMastercard) return `${randomInt(1, 10)}${digits(14)}`;
  const date = new Date(nowMs).toISOString();
  return `MCC${digits(6)}${date.slice(5, 7)}${date.slice(8, 10)}`;
}

/** Returns true if the text has one of the formats of network transaction IDs. */
export function isNetworkTransactionId(text: string, isMastercard: boolean): boolean {
  return isMastercard ? /^[A-Z]{3}[0-9A-Z]{6,9}(\d{4})?$/.test(text) : /^\d{15}$/.test(text);
}

function digits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, "0");
}
