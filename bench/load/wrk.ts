import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Load, LoadResult } from "./load.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "requests.lua");

/**
 * Reports whether wrk is installed. Tries to install wrk if it is missing. wrk uses a tenth of the CPU time of our
 * generator.
 */
export async function findWrk(): Promise<boolean> {
  if (await isInstalled()) return true;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  console.error("Installing the load generator wrk from Debian. This happens once.");
  await run("apt-get", ["install", "--quiet=2", "--yes", "wrk"], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).catch(() => null);
  return isInstalled();
}

async function isInstalled(): Promise<boolean> {
  // `wrk --version` exits with 1 even if it succeeds.
  return run("wrk", ["--version"]).then(
    () => true,
    (error: { code?: unknown }) => error.code === 1,
  );
}

export async function loadWithWrk(load: Load): Promise<LoadResult> {
  const directory = await mkdtemp(join(tmpdir(), "florin-bench-keys-"));
  try {
    const keysFile = join(directory, "secret-keys");
    await writeFile(keysFile, load.secretKeys.join("\n"));
    return await runWrk(load, keysFile);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function runWrk(load: Load, keysFile: string): Promise<LoadResult> {
  const { stdout } = await run("wrk", [
    // One thread sends up to 60,000 requests per second. Several threads would have to coordinate the request numbers
    // in their idempotency keys.
    "--threads=1",
    `--connections=${load.connections}`,
    `--duration=${load.seconds}s`,
    "--timeout=10s",
    `--script=${script}`,
    load.url,
    "--",
    keysFile,
    load.method,
    load.keys ?? "-",
    String(load.cycle ?? 0),
    load.body ?? "-",
    ...load.paths,
  ]);
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as LoadResult;
}
