import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AdyenAccount } from "./connect-adyen.ts";
import type { Credentials } from "./http-client.ts";

export type Started<Ready> = {
  /** Resolves when the process listens. Rejects if it ends before that. */
  readonly ready: Promise<Ready>;
  stop(): Promise<void>;
};

/** The fields of `ready.json` that the live sandbox uses. */
export type Service = {
  readonly base_url: string;
  readonly dashboard_url: string;
  readonly dashboard_sign_in: Credentials;
  readonly operator_setup_url: string;
  readonly account_id: string;
};

const florin = fileURLToPath(new URL("../../cli/florin.ts", import.meta.url));
const adyenFake = fileURLToPath(new URL("../../fakes/adyen/src/main.ts", import.meta.url));

/**
 * The time that the fake takes to execute a capture, refund or cancellation. The delay makes the pending state visible.
 */
const processingMs = 1_000;

/** Starts the fake of Adyen. Returns its URL. */
export function startFake({ merchantAccount, apiKey, hmacKey }: AdyenAccount): Started<string> {
  const child = spawn(
    process.execPath,
    [
      adyenFake,
      "--port=0",
      `--processing=${processingMs}`,
      `--merchant-account=${merchantAccount}`,
      `--api-key=${apiKey}`,
      `--hmac-key=${hmacKey}`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  return started(child, readPrintedUrl(child));
}

/** Starts `florin start` on a new data directory. The service sends its requests for Adyen to the fake. */
export function startService(dataDirectory: string, fakeUrl: string): Started<Service> {
  // Passes no other variables, so that the settings of another service on this machine have no effect.
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [florin, "start"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH,
      HOME,
      TMPDIR,
      NODE_COMPILE_CACHE,
      FLORIN_DATA: dataDirectory,
      FLORIN_ACQUIRERS: "sandbox",
      FLORIN_ACQUIRER_URLS: `adyen=${fakeUrl}`,
    },
  });
  return started(child, readReady(child, dataDirectory));
}

function started<Ready>(child: ChildProcess, ready: Promise<Ready>): Started<Ready> {
  // Stops the child process when this process ends, even after an error.
  process.once("exit", () => child.kill());
  return { ready, stop: () => stop(child) };
}

async function readPrintedUrl({ stdout }: ChildProcess): Promise<string> {
  let printed = "";
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += String(chunk);
    const [url] = /http:\/\/[\w.:]+/.exec(printed) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("The fake of Adyen did not start. See its output above.");
}

/** Waits for the file that the service writes when it listens. */
async function readReady(child: ChildProcess, dataDirectory: string): Promise<Service> {
  const file = join(dataDirectory, "ready.json");
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return JSON.parse(text) as Service;
    if (hasEnded(child)) throw new Error("The service did not start. See its output above.");
    await sleep(100);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
