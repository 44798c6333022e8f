import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { maskSecrets } from "./core/mask-secrets.ts";

/**
 * Creates the log. Lines carry named fields only, and a filter masks text that looks like a card number or a secret.
 * Writes to standard output unless a destination is given.
 */
export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // In these fields, Postgres quotes the rejected row, which can contain customers' data.
      redact: { paths: ["err.detail", "err.where"], remove: true },
      hooks: { streamWrite: maskSecrets },
    },
    destination,
  );
}
