import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, hasExited } from "@florin/server/test/end-child.ts";

/**
 * A child process that runs `florin start` with its Postgres in a temporary directory, and the demo shop. All journeys
 * of a test process share it.
 */
export type RunningFlorin = {
  readonly url: string;
  readonly shopUrl: string;
  readonly dashboardUrl: string;
  /** The link to the demo inbox, with its secret. */
  readonly inboxUrl: string;
  readonly metricsUrl: string;
  /** The owner of the demo's merchant. */
  readonly demoPerson: { readonly email: string; readonly password: string };
  /** The one-time link that creates the first operator. */
  readonly operatorSetupUrl: string | null;
  /** The directory that contains all stored data. */
  readonly dataDirectory: string;
  /** Returns the output of the service and the shop since the start. */
  output(): string;
  /** Calls the public API with the shop's key. */
  api<Result>(method: "GET" | "POST", path: string, body?: object): Promise<Result>;
};

type Ready = {
  base_url: string;
  shop_url: string;
  dashboard_url: string;
  inbox_url: string;
  metrics_url: string;
  dashboard_sign_in: RunningFlorin["demoPerson"];
  operator_setup_url: string | null;
  test_secret_key: string;
};

/** Shorter than the default of 20 seconds, to shorten the journeys in which the acquirer does not respond. */
const acquirerTimeoutMs = 2_000;

export const florin = await startFlorin();

async function startFlorin(): Promise<RunningFlorin> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "florin-journeys-"));
  const child = spawn(
    process.execPath,
    [resolve(import.meta.dirname, "../cli/florin.ts"), "start"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        FLORIN_DATA: dataDirectory,
        PORT: "0",
        SHOP_PORT: "0",
        METRICS_PORT: "0",
        FLORIN_ACQUIRER_TIMEOUT_MS: String(acquirerTimeoutMs),
      },
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      printed += String(chunk);
    });
  }
  after(async () => {
    await endChild(child);
    await rm(dataDirectory, { recursive: true, force: true });
  });

  const ready = await untilReady(child, join(dataDirectory, "ready.json"), () => printed);
  return {
    url: ready.base_url,
    shopUrl: ready.shop_url,
    dashboardUrl: ready.dashboard_url,
    inboxUrl: ready.inbox_url,
    metricsUrl: ready.metrics_url,
    demoPerson: ready.dashboard_sign_in,
    operatorSetupUrl: ready.operator_setup_url,
    dataDirectory,
    output: () => printed,
    async api(method, path, body) {
      const response = await fetch(`${ready.base_url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${ready.test_secret_key}`,
          "content-type": "application/json",
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response.ok) return response.json();
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
  };
}

async function untilReady(
  child: ChildProcess,
  file: string,
  printed: () => string,
): Promise<Ready> {
  while (!existsSync(file)) {
    if (hasExited(child)) throw new Error(`Florin did not start:\n${printed()}`);
    await sleep(50);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}
