import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { hasExited } from "../end-child.ts";
import { slowed } from "../slowness.ts";
import { ServerHang } from "./server-hang.ts";

/** The time limit of a start. It is longer than the server's own limits for the steps of a start. */
const startWithinMs = 120_000;
/** The time limit of a stop. It is longer than the server's own limits for the steps of a stop. */
const stopWithinMs = 90_000;

/** A server in a child process, and the connections to it. */
export type ServerProcess = {
  /** The process ID of the service. Several server processes are its children. */
  readonly pid: number;
  readonly url: string;
  readonly secretKey: string;
  readonly http: Pool;
  /** Returns the last output of the server if it exited unexpectedly, or null. An unexpected exit fails the test. */
  outputOfUnexpectedExit(): string | null;
  /** Sends SIGKILL, so that requests in progress are aborted. */
  kill(): Promise<void>;
  /** Sends SIGKILL to one of several worker processes. The service restarts it. */
  killWorker(): void;
  /** Suspends the process for this time, to simulate a host that stalls. */
  suspend(milliseconds: number): Promise<void>;
  /** Sends SIGTERM. Throws `ServerHang` if the server does not exit in time. */
  stop(): Promise<void>;
};

export type ServerOptions = {
  readonly databaseUrl: string;
  readonly dataDirectory: string;
  readonly embedDirectory: string;
  /** Webhooks are sent to `<shopUrl>/webhooks`. */
  readonly shopUrl: string;
  /** Defaults to a free port. */
  readonly port?: number;
  /** Settings in addition to those above. */
  readonly environment?: Readonly<Record<string, string>>;
};

export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { databaseUrl, dataDirectory, embedDirectory, shopUrl, port = 0, environment } = options;
  const script = join(import.meta.dirname, "./serve.ts");
  const child = spawn(process.execPath, [script, embedDirectory, shopUrl], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      FLORIN_DATA: dataDirectory,
      FLORIN_RATE_LIMIT: "off",
      // Short, so that amounts that trigger a timeout do not slow the test down. Long enough for a response to an
      // inquiry on a busy machine.
      FLORIN_ACQUIRER_TIMEOUT_MS: "1500",
      FLORIN_LOG: process.env.FLORIN_LOG ?? "silent",
      PORT: String(port),
      ...environment,
    },
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-2_000);
  });
  const { url, secretKey } = await readiness(child, () => output);
  const http = new Pool(url, { connections: 1_000, headersTimeout: 40_000, bodyTimeout: 40_000 });

  let ending = false;
  async function end(signal: NodeJS.Signals): Promise<void> {
    ending = true;
    const ended = hasExited(child) ? null : once(child, "exit");
    child.kill(signal);
    const limit = limitTime(stopWithinMs, child);
    await ended;
    await http.destroy();
    if (limit.end()) throw new ServerHang(`A server did not stop in time. ${output}`);
  }
  return {
    pid: child.pid as number,
    url,
    secretKey,
    http,
    outputOfUnexpectedExit: () => (!ending && hasExited(child) ? output : null),
    kill: () => end("SIGKILL"),
    killWorker: () => void child.kill("SIGUSR2"),
    stop: () => end("SIGTERM"),
    async suspend(milliseconds) {
      child.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      child.kill("SIGCONT");
    },
  };
}

async function readiness(
  child: ChildProcess,
  output: () => string,
): Promise<{ url: string; secretKey: string }> {
  assert(child.stdout);
  const closed = once(child, "close");
  const limit = limitTime(startWithinMs, child);
  for await (const line of createInterface(child.stdout)) {
    if (!limit.end()) return JSON.parse(line);
  }
  await closed;
  if (limit.end()) throw new ServerHang(`A server was not ready in time. ${output()}`);
  const ended = child.exitCode ?? child.signalCode;
  throw new Error(`A server exited before it was ready (${ended}). ${output()}`);
}

/** Kills the child after this time. `end` stops the timer, and returns whether the child was killed. */
function limitTime(milliseconds: number, child: ChildProcess): { end(): boolean } {
  let isExceeded = false;
  const timer = setTimeout(() => {
    isExceeded = child.kill("SIGKILL");
  }, slowed(milliseconds));
  return {
    end() {
      clearTimeout(timer);
      return isExceeded;
    },
  };
}
