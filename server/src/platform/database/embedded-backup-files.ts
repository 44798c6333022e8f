import { createHash, hash } from "node:crypto";
import { mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileSum, Manifest } from "./backup-manifest.ts";
import { syncDirectory } from "./embedded-cluster.ts";
import { giveTo, type PostgresUser } from "./embedded-system-user.ts";

/** The parts of a data directory that go into a backup. Paths are relative to the data directory. */
export type DataFiles = {
  /** The directories, parents before children. The first is the data directory itself, as "". */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** The size of all files together. */
  readonly bytes: number;
};

/** A copy of one data directory to another. Postgres will read the copied files as `user`. */
export type Copying = {
  readonly from: string;
  readonly to: string;
  readonly user: PostgresUser | null;
  readonly signal: AbortSignal;
};

/**
 * Directories that are created empty in the copy, because Postgres does not start without them. The backup fills
 * `pg_wal`, and Postgres fills the others when it starts.
 */
const emptiedDirectories = new Set([
  ...["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots"],
  ...["pg_stat_tmp", "pg_subtrans", "pg_tblspc"],
]);

/** Files that are not copied because they belong to the running Postgres or to an earlier backup. */
const excludedFiles =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label.*|tablespace_map.*|backup_manifest|(postgresql\.auto\.conf|current_logfiles)\.tmp)$/;

/** Temporary files of queries and a cache that Postgres rebuilds, in any directory. */
const temporary = /^(pgsql_tmp|pg_internal\.init)/;

/**
 * The file that Postgres reads first. The write-ahead log does not protect it, so the copy must not mix old and new
 * content.
 */
const controlFile = "global/pg_control";

/**
 * Lists a data directory while Postgres is using it. A file that is removed during the listing is skipped. The
 * write-ahead log records the removal.
 */
export async function listDataFiles(data: string): Promise<DataFiles> {
  const directories: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  const walk = async (path: string): Promise<void> => {
    // Symbolic links are followed, because an administrator may have moved a part to another disk.
    const found = await stat(join(data, path)).catch(unlessVanished);
    if (found?.isDirectory()) {
      directories.push(path);
      if (emptiedDirectories.has(path)) return;
      for (const name of (await readdir(join(data, path)).catch(unlessVanished)) ?? []) {
        if (!temporary.test(name) && !(path === "" && excludedFiles.test(name)))
          await walk(join(path, name));
      }
    } else if (found?.isFile()) {
      files.push(path);
      bytes += found.size;
    }
  };
  await walk("");
  return { directories, files, bytes };
}

/** Copies the files and returns their sums after they are flushed to disk. */
export async function copyDataFiles(copying: Copying, listed: DataFiles): Promise<Manifest> {
  const { from, to, user } = copying;
  for (const path of listed.directories) {
    await mkdir(join(to, path), { mode: 0o700 });
    await giveTo(user, join(to, path));
  }
  const files = listed.files.filter((path) => path !== controlFile);
  const sums = new Map<string, FileSum>();
  await forEachConcurrently(files, async (path, buffer) => {
    const sum = await copyFile(copying, path, buffer, unlessVanished);
    if (sum) sums.set(path, sum);
  });
  const control = await readStable(join(from, controlFile));
  sums.set(controlFile, await writeDataFile(copying, controlFile, control));
  return sums;
}

/**
 * Copies these segments of the write-ahead log and the history file of every timeline, and returns their sums. Fails if
 * a segment does not exist.
 */
export async function copyLog(copying: Copying, segments: readonly string[]): Promise<Manifest> {
  const names = await readdir(join(copying.from, "pg_wal"));
  const histories = names.filter((name) => name.endsWith(".history"));
  const sums = new Map<string, FileSum>();
  await forEachConcurrently([...segments, ...histories], async (name, buffer) => {
    const path = join("pg_wal", name);
    const sum = await copyFile(copying, path, buffer);
    if (sum) sums.set(path, sum);
  });
  return sums;
}

/** Writes one file of the copy and returns its sum after it is flushed to disk. */
export async function writeDataFile(
  { to, user }: Copying,
  path: string,
  content: string | Buffer,
): Promise<FileSum> {
  await writeFile(join(to, path), content, { mode: 0o600, flush: true });
  await giveTo(user, join(to, path));
  return { bytes: Buffer.byteLength(content), sha256: hash("sha256", content) };
}

/** Flushes the directories, so that the names of all written files survive a power cut. */
export async function syncDataDirectories({ to }: Copying, listed: DataFiles): Promise<void> {
  for (const path of listed.directories) await syncDirectory(join(to, path));
}

/**
 * Copies a file up to its current end, and returns the sum of the copied bytes. If the file is missing, calls
 * `onMissing`, which throws or returns null, and then returns null. `fs.copyFile` would copy only the length that the
 * file had at the start of the copy, and would loop forever if the file was truncated during the copy.
 */
async function copyFile(
  { from, to, user, signal }: Copying,
  path: string,
  buffer: Buffer,
  onMissing: (error: NodeJS.ErrnoException) => null = rethrow,
): Promise<FileSum | null> {
  await using source = await open(join(from, path)).catch(onMissing);
  if (!source) return null;
  await using target = await open(join(to, path), "wx", 0o600);
  const sha256 = createHash("sha256");
  let bytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, buffer.length);
    if (bytesRead === 0) break;
    const read = buffer.subarray(0, bytesRead);
    sha256.update(read);
    bytes += bytesRead;
    await target.writeFile(read);
  }
  await target.sync();
  await giveTo(user, join(to, path));
  return { bytes, sha256: sha256.digest("hex") };
}

/**
 * Reads a file until two reads return the same content. Postgres writes the file in one call, but a concurrent read can
 * still return a mix of the old and the new content.
 */
async function readStable(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    const next = await readFile(path);
    if (next.equals(last)) return next;
    last = next;
  }
}

/** The size of a worker's read buffer. Most files of Postgres fit into it. */
const bufferBytes = 1024 * 1024;

/**
 * Processes four items concurrently, because Node has four threads for file operations. Each worker uses one buffer for
 * all its items. After the first failure, no more items are started, and the items in progress are awaited.
 */
async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item, buffer: Buffer) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafeSlow(bufferBytes);
    for (const item of queue) {
      if (failed) return;
      await work(item, buffer).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: 4 }, worker));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function unlessVanished(error: NodeJS.ErrnoException): null {
  if (error.code !== "ENOENT") throw error;
  return null;
}

function rethrow(error: Error): never {
  throw error;
}
