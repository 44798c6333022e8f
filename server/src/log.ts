import { type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { maskSecrets } from "./primitives/mask-secrets.ts";

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
