import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";
import { maskSecrets } from "./core/mask-secrets.ts";

/**
 * Characters that JSON may contain unescaped, and that control the terminal in which a person reads the log: U+009B
 * begins a command (ECMA-48 §5.4), and others change the direction of the text or begin a line.
 */
const terminalControl = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes these characters as in JSON. A log line is JSON and contains such characters only within strings. */
function escapeControls(line: string): string {
  return line.replace(
    terminalControl,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Creates the log. Each line is a JSON object. Text that looks like a card number, a security code or a secret is
 * masked, and characters with which a merchant's text could control a terminal are escaped. Writes to standard output
 * unless a destination is given.
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
