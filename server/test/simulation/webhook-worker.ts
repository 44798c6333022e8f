import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DeliverySettings } from "../../src/webhooks/delivery/delivery-deps.ts";
import { endChild, hasExited } from "../end-child.ts";

/** The Node.js flags of every server process. */
const nodeFlags = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../cli/node-flags.json"), "utf8"),
) as string[];

/** A delivery worker in a child process, so that a test can kill it and measure its memory. */
export type WebhookWorker = {
  readonly pid: number;
  /** Returns the memory in use, in megabytes. */
  megabytes(): number;
  /** Returns the last output of the worker if it exited unexpectedly, or null. An unexpected exit fails the test. */
  outputOfUnexpectedExit(): string | null;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export async function startWebhookWorker(
  databaseUrl: string,
  keysDirectory: string,
  settings: Partial<DeliverySettings> = {},
): Promise<WebhookWorker> {
  const script = join(import.meta.dirname, "../deliver-in-child.ts");
  const child: ChildProcess = spawn(
    process.execPath,
    [...nodeFlags, script, databaseUrl, keysDirectory, JSON.stringify(settings)],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-2_000);
  });
  await ready(child, () => output);
  let ending = false;
  async function end(signal: NodeJS.Signals): Promise<void> {
    ending = true;
    await endChild(child, signal);
  }
  return {
    pid: child.pid as number,
    megabytes() {
      const [, kilobytes] =
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      return Number(kilobytes) / 1024;
    },
    outputOfUnexpectedExit: () => (!ending && hasExited(child) ? output : null),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  assert(child.stdout);
  for await (const line of createInterface(child.stdout)) if (line === "ready") return;
  throw new Error(`A worker exited before it was ready: ${output()}`);
}
