#!/usr/bin/env node
import { parseArgs } from "node:util";
import { readConfig, WrongSetting } from "@florin/server/config.ts";
import { explainFileError, StartupError } from "@florin/server/platform/database/startup-error.ts";
import { ListenError } from "@florin/server/platform/http/listen.ts";
import { endProcess, killOnUncaughtError } from "@florin/server/platform/processes/end-process.ts";
import { versionText } from "./installation.ts";
import { usage } from "./usage.ts";

/** Each command imports its code when it runs. Loading the whole service takes almost a second. */
const commands: Readonly<Record<string, (arguments_: string[]) => Promise<number>>> = {
  start: async (arguments_) => {
    parseArgs({ args: arguments_ });
    killOnUncaughtError();
    const code = await (await import("./start.ts")).start(readConfig());
    // `start` has closed all resources. A handle that is still open must not keep the process running.
    endProcess(code);
    return code;
  },
  "rotate-keys": async (arguments_) =>
    (await import("./rotate-keys.ts")).rotateKeys(readConfig(), arguments_),
  listen: async (arguments_) => (await import("./listen.ts")).listen(readConfig(), arguments_),
  trigger: async (arguments_) => (await import("./trigger.ts")).trigger(readConfig(), arguments_),
  operator: async (arguments_) =>
    (await import("./operator.ts")).operator(readConfig(), arguments_),
  reconcile: async (arguments_) =>
    (await import("./reconcile.ts")).reconcile(readConfig(), arguments_),
  certify: async (arguments_) => (await import("./certify.ts")).certify(readConfig(), arguments_),
  backup: async (arguments_) => (await import("./backup.ts")).backup(readConfig(), arguments_),
  restore: async (arguments_) => (await import("./restore.ts")).restore(readConfig(), arguments_),
  doctor: async (arguments_) => (await import("./doctor.ts")).doctor(arguments_),
  retain: async (arguments_) => (await import("./retain.ts")).retain(readConfig(), arguments_),
  verify: async (arguments_) => (await import("./verify.ts")).verify(readConfig(), arguments_),
};

const [name = "help", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
const isHelp = name === "help" || rest[0] === "help";
if (isHelp || [name, ...rest].some((word) => word === "--help" || word === "-h")) {
  console.log(usage);
  process.exit(0);
}
if (["version", "--version", "-v"].includes(name)) {
  console.log(versionText());
  process.exit(0);
}
if (!command) {
  console.error(`The command 'florin ${name}' does not exist.\n\n${usage}`);
  process.exit(2);
}
try {
  process.exitCode = await command(rest);
} catch (cause) {
  const error = explainMissingPackage(explainFileError(cause));
  // Prints only the message of an error that the user can fix. Any other error is a bug and keeps its stack trace.
  const known = [WrongSetting, ListenError, StartupError].some((kind) => error instanceof kind);
  const isArgumentError = String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
  console.error(known || isArgumentError ? (error as Error).message : error);
  if (isArgumentError) console.error(`\n${usage}`);
  // A start that failed halfway has open connections and timers, which would keep the process running.
  endProcess(1);
}

/**
 * Returns a StartupError if a file of the installation is missing, and otherwise the error itself. `npm ci` deletes
 * node_modules first, so a command that runs at the same time does not find its files.
 */
function explainMissingPackage(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND") return error;
  return new StartupError(
    `A file of the installation is missing. If npm is installing packages, wait until it has finished, and run the command again. Otherwise, install Florin again (npm ci in the repository). ${message}`,
    { cause: error },
  );
}
