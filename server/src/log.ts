import { type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { passesLuhn } from "./vault/luhn.ts";

/**
 * The log. Lines carry named fields only; behind that stands a filter that masks what looks like a card number
 * or a secret, should one ever get into a message.
 */
export function openLog(level: LogLevel): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: maskSecrets },
  });
}

/** Runs of 13 to 19 digits, also with single spaces or dashes between them. */
const cardLike = /(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])/g;
const secretLike = /\b(sk_(?:test|live)_|whsec_|secret_)[A-Za-z0-9+/=_-]{8,}/g;

export function maskSecrets(line: string): string {
  return line
    .replace(secretLike, "$1•••")
    .replace(cardLike, (digits) => (passesLuhn(digits.replace(/[ -]/g, "")) ? "••••" : digits));
}
