import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../../core/clock.ts";
import { type Cluster, isAlive } from "./embedded-cluster.ts";

const run = promisify(execFile);

/** The content of a running Postgres's `postmaster.pid`. */
export type Postmaster = {
  readonly pid: number;
  readonly port: number;
  readonly socketDirectory: string | null;
  readonly status: "starting" | "ready" | "stopping";
};

/** Returns the Postgres that runs on this cluster, regardless of which process started it, or null. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const path = join(cluster.data, "postmaster.pid");
  const text = await readIfExists(path);
  const [pid, , , port, socketDirectory, , , status] = text.split("\n").map((line) => line.trim());
  if (!pid) {
    await removeEmptyPidFile(path);
    return null;
  }
  if (!(await isPostmaster(Number(pid), cluster))) {
    await removeStalePidFile(path, text);
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
 * Removes a stale pid file whose process id now belongs to another process. With such a file, Postgres would not start.
 * Such files occur in containers, where process ids are soon reused. Removing the file cannot cause two Postgres
 * servers to run on the same data, because a starting Postgres also checks for the shared memory of a running one.
 */
async function removeStalePidFile(path: string, text: string): Promise<void> {
  if (!isAlive(Number.parseInt(text, 10))) return;
  // The file is read again, because a starting Postgres may have replaced it in the meantime.
  if ((await readIfExists(path)) === text) await rm(path, { force: true });
}

/** The age at which an empty pid file is stale. A starting Postgres writes its process id immediately. */
const emptyForMs = 3_000;

/**
 * Removes a pid file that stays empty. A crash during the creation of the file can leave it in this state. Otherwise an
 * administrator would have to remove the file before Postgres starts.
 */
async function removeEmptyPidFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.size === 0 && systemClock.now().getTime() - found.mtimeMs > emptyForMs) {
    await rm(path, { force: true });
  }
}

/** Returns whether the process is alive and is a Postgres on this cluster. The process id may have been reused. */
export async function isPostmaster(pid: number, cluster: Cluster): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // A zombie process is still listed, but its command line is empty.
  return (await commandLine(pid)).includes(cluster.data);
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    return await readIfExists(`/proc/${pid}/cmdline`);
  }
  return await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/**
 * Returns the content of a file, or an empty string if the file does not exist or its process has ended. Throws every
 * other error. If this process can open no more files, for example, Postgres is not considered to have stopped, and its
 * pid file is not removed.
 */
async function readIfExists(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return "";
    throw error;
  }
}

/**
 * Stops Postgres and returns when the process is gone. `fast` ends connections, writes a checkpoint and exits.
 * `immediate` has the effect of a crash: the next start recovers from the log.
 */
export async function stopPostmaster(cluster: Cluster, mode: "fast" | "immediate"): Promise<void> {
  const running = await findPostmaster(cluster);
  if (!running) return;
  process.kill(running.pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
  while (await isPostmaster(running.pid, cluster)) await sleep(10);
}
