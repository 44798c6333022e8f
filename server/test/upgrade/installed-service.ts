import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Pool } from "undici";
import { hasExited } from "../end-child.ts";
import type { Target } from "../simulation/requests.ts";

const run = promisify(execFile);

/** A service that runs from an installed package. */
export type InstalledService = Target & {
  readonly name: string;
  readonly url: string;
  /** Sends SIGTERM. Returns the exit code and the time until the exit. */
  stop(): Promise<{ readonly code: number | null; readonly tookMs: number }>;
  kill(): Promise<void>;
  /** Returns whether the process has exited although it was not stopped. */
  hasExited(): boolean;
};

export type ServiceSettings = {
  readonly name: string;
  /** The directory of the installed package. */
  readonly installed: string;
  readonly port: number;
  readonly secretKey: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The file to which the output of the service is appended. */
  readonly log: string;
};

/** Runs a command of an installed package, and returns its output and its exit code. */
export async function runInstalled(
  installed: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...baseEnvironment(), ...environment };
  const command = [join(installed, "bin/florin.js"), ...args];
  return run(process.execPath, command, { env, timeout: 120_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

/** Starts a service and returns when it is ready. */
export async function startInstalled(settings: ServiceSettings): Promise<InstalledService> {
  const { name, installed, port, secretKey, environment, log } = settings;
  const child = spawn(process.execPath, [join(installed, "bin/florin.js"), "start"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...baseEnvironment(), PORT: String(port), ...environment },
  });
  const file = createWriteStream(log, { flags: "a" });
  child.stdout.pipe(file);
  child.stderr.pipe(file);
  await ready(child, log);
  const url = `http://127.0.0.1:${port}`;
  const http = new Pool(url, { connections: 500, headersTimeout: 40_000, bodyTimeout: 40_000 });
  let ending = false;
  const end = async (signal: NodeJS.Signals) => {
    ending = true;
    const startedAt = performance.now();
    const ended = hasExited(child) ? null : once(child, "exit");
    child.kill(signal);
    await ended;
    return { code: child.exitCode, tookMs: performance.now() - startedAt };
  };
  return {
    name,
    url,
    secretKey,
    http,
    stop: () => end("SIGTERM"),
    async kill() {
      await end("SIGKILL");
      await http.destroy();
    },
    hasExited: () => !ending && hasExited(child),
  };
}

/** The environment without settings of this run. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }) };
}

async function ready(child: ChildProcess, log: string): Promise<void> {
  let output = "";
  const said = new Promise<void>((resolve) => {
    child.stdout?.on("data", (bytes) => {
      output = (output + String(bytes)).slice(-4_000);
      if (output.includes("Florin is ready.")) resolve();
    });
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`A service exited before it was ready. Its output is in ${log}.`);
  });
  await Promise.race([said, ended]);
}
