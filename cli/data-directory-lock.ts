import { execFile } from "node:child_process";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "@florin/server/core/clock.ts";
import { unlessMissing } from "@florin/server/core/unless-missing.ts";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";

/** The process that holds the lock. */
type Holder = {
  readonly pid: number;
  /** The time at which the process started. It distinguishes the process from a later one with the same process ID. */
  readonly started: string | null;
};

/**
 * Locks a data directory for this process, so that no second service runs on it. Two services would replace each
 * other's `ready.json`, and two demo shops would receive each other's webhooks. The lock of a killed process has no
 * effect. Returns a function that releases the lock.
 *
 * @throws StartupError if another running process holds the lock.
 */
export async function lockDataDirectory(directory: string): Promise<() => Promise<void>> {
  const file = join(directory, "service.lock");
  const started = await startOf(process.pid);
  const text = `${JSON.stringify({ pid: process.pid, started })}\n`;
  while (!(await create(file, text))) {
    const found = await readLock(file);
    const holder = found === null ? null : parseHolder(found);
    const running = holder && (await startOf(holder.pid));
    if (running !== null && running === holder?.started) {
      throw new StartupError(
        `Another Florin process (PID ${holder.pid}) uses the data directory ${directory}. Stop it first, or set FLORIN_DATA to another directory.`,
      );
    }
    if (holder === null && (await isNew(file))) await sleep(50);
    else if (found !== null) await removeStale(file, found);
  }
  return () => rm(file, { force: true });
}

/** Creates the lock. Returns false if it exists. */
async function create(file: string, text: string): Promise<boolean> {
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    return null;
  });
  if (handle === null) return false;
  try {
    await handle.writeFile(text);
    return true;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Returns the content of the lock, or null if another process has removed it. */
async function readLock(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(unlessMissing);
}

/** The age at which a lock without content is stale. The process that creates a lock writes it immediately. */
const emptyForMs = 3_000;

async function isNew(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && Math.abs(systemClock.now().getTime() - found.mtimeMs) < emptyForMs;
}

/** Returns null if the lock is not written yet, or if its process was killed before it had written the lock. */
function parseHolder(text: string): Holder | null {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return null;
  }
}

/**
 * Removes the lock of a dead process. Renames the lock before it checks the content, because another process that found
 * the same lock may already have replaced it with its own. Puts such a lock back.
 */
async function removeStale(file: string, stale: string): Promise<void> {
  const removed = `${file}.${process.pid}`;
  try {
    await rename(file, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if ((await readLock(removed)) === stale) await rm(removed, { force: true });
  else await rename(removed, file);
}

const run = promisify(execFile);

/** Returns a text that identifies the start of a running process, or null if no process has this ID. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== "linux") {
    return run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).then(
      ({ stdout }) => {
        const [, state, started] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout) ?? [];
        return started === undefined || state?.startsWith("Z") ? null : started;
      },
      () => null,
    );
  }
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // The name of the program, the second field, is in parentheses and can contain any character (proc_pid_stat(5)).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  // A zombie has exited, but its parent has not read its status yet.
  if (state === "Z" || state === "X") return null;
  // The start is counted from the boot of the machine.
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${fields[19]}`;
}
