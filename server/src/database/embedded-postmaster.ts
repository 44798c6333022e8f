import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../primitives/clock.ts";
import { type Cluster, isAlive } from "./embedded-cluster.ts";

const run = promisify(execFile);

/** What a running Postgres says of itself in `postmaster.pid`. */
export type Postmaster = {
  readonly pid: number;
  readonly port: number;
  readonly socketDirectory: string | null;
  readonly status: "starting" | "ready" | "stopping";
};

/** The Postgres that runs on this cluster now, whoever started it; null when none does. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const path = join(cluster.data, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(() => "");
  const [pid, , , port, socketDirectory, , , status] = text.split("\n").map((line) => line.trim());
  if (!pid) {
    await removeEmpty(path);
    return null;
  }
  if (!(await isPostmaster(Number(pid), cluster))) {
    await removeMisleading(path, text);
    return null;
  }
  return {
    pid: Number(pid),
    port: Number(port),
    socketDirectory: socketDirectory || null,
    status: status === "ready" || status === "stopping" ? status : "starting",
  };
}

/**
 * Postgres clears a stale pid file away itself, unless the number now belongs to another process: in a
 * container, where numbers are few, it would refuse to start. Two Postgres on the same data stay impossible,
 * because it also looks for the shared memory of the first.
 */
async function removeMisleading(path: string, text: string): Promise<void> {
  if (!isAlive(Number.parseInt(text, 10))) return;
  // Read again: a Postgres that is starting this very moment may just have written its own.
  if ((await readFile(path, "utf8").catch(() => "")) === text) await rm(path, { force: true });
}

/** A Postgres that starts writes its number into the file at once. */
const emptyForMs = 3_000;

/** A pid file that stays empty is from a crash in the moment in which it was made, and Postgres asks a person to remove it. */
async function removeEmpty(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.size === 0 && systemClock.now().getTime() - found.mtimeMs > emptyForMs) {
    await rm(path, { force: true });
  }
}

/** True when this process is alive and is a Postgres on these data: a process id alone proves nothing. */
export async function isPostmaster(pid: number, cluster: Cluster): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // A process that ended but was not yet waited for is still listed, with an empty command line.
  return (await commandLine(pid)).includes(cluster.data);
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    return await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  }
  return await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/**
 * `fast` ends connections, writes everything down and goes; `immediate` is a crash with notice: the next
 * start recovers from the log. Returns when the process is gone.
 */
export async function stopPostmaster(cluster: Cluster, mode: "fast" | "immediate"): Promise<void> {
  const running = await findPostmaster(cluster);
  if (!running) return;
  process.kill(running.pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
  while (await isPostmaster(running.pid, cluster)) await sleep(10);
}
