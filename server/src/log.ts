import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { maskSecrets } from "./primitives/mask-secrets.ts";

/**
 * The log. Lines carry named fields only; behind that stands a filter that masks what looks like a card number
 * or a secret, should one ever get into a message. To standard output, unless it is said where to.
 */
export function openLog(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Where Postgres quotes the row that it refused, with all that a merchant's customer has told.
      redact: { paths: ["err.detail", "err.where"], remove: true },
      hooks: { streamWrite: maskSecrets },
    },
    destination,
  );
}
