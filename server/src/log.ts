import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { maskSecrets } from "./core/mask-secrets.ts";

/**
 * Characters that JSON may contain unescaped, and that control the terminal in which a person reads the log: U+009B
 * begins a command (ECMA-48 §5.4), and others change the direction of the text or begin a line.
 */
const terminalControl = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the line with control characters as escape sequences of JSON. A line contains them in strings only. */
function escapeControls(line: string): string {
  return line.replace(
    terminalControl,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Creates the log. Lines carry named fields only, and a filter masks text that looks like a card number or a secret.
 * Merchants' text in a line cannot control a terminal. Writes to standard output unless a destination is given.
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
      hooks: { streamWrite: (line) => escapeControls(maskSecrets(line)) },
    },
    destination,
  );
}
