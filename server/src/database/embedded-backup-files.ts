import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncDirectory } from "./embedded-cluster.ts";
import { giveTo, type PostgresUser } from "./embedded-user.ts";

/** What of a data directory goes into a backup. Paths are relative to it. */
export type DataFiles = {
  /** Each after the one it lies in; the data directory itself, as "", is the first. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** The size of all files together. */
  readonly bytes: number;
};

/** From one data directory into another, whose files Postgres will read as `user`. */
export type Copying = {
  readonly from: string;
  readonly to: string;
  readonly user: PostgresUser | null;
  readonly signal: AbortSignal;
};

/** Postgres fills these anew when it starts, or we do (`pg_wal`); it asks that the directories be there. */
const emptied = new Set([
  ...["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots"],
  ...["pg_stat_tmp", "pg_subtrans", "pg_tblspc"],
]);

/** Of the running Postgres, or of an earlier backup. */
const leftOut =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label.*|tablespace_map.*|backup_manifest|(postgresql\.auto\.conf|current_logfiles)\.tmp)$/;

/** In any directory: what one query put aside, and a cache that Postgres makes again. */
const temporary = /^(pgsql_tmp|pg_internal\.init)/;

/** Where Postgres looks first. It alone is protected by no log, so a copy of it must not be torn. */
const controlFile = "global/pg_control";

/** Lists a data directory while Postgres works in it: what vanishes meanwhile, the log knows of. */
export async function listDataFiles(data: string): Promise<DataFiles> {
  const directories: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  const walk = async (path: string): Promise<void> => {
    // Followed, should somebody have moved a part to another disk and put a link in its place.
    const found = await stat(join(data, path)).catch(unlessVanished);
    if (found?.isDirectory()) {
      directories.push(path);
      if (emptied.has(path)) return;
      for (const name of (await readdir(join(data, path)).catch(unlessVanished)) ?? []) {
        if (!temporary.test(name) && !(path === "" && leftOut.test(name)))
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

/** Copies them, and returns when they are on the disk. */
export async function copyDataFiles(copying: Copying, listed: DataFiles): Promise<void> {
  const { from, to, user } = copying;
  for (const path of listed.directories) {
    await mkdir(join(to, path), { mode: 0o700 });
    await giveTo(user, join(to, path));
  }
  const files = listed.files.filter((path) => path !== controlFile);
  await severalAtOnce(files, (path) => copyFile(copying, path, unlessVanished));
  await writeDataFile(copying, controlFile, await readSettled(join(from, controlFile)));
}

/** Copies segments of the log, each of which must be there, and every timeline's history. */
export async function copyLog(copying: Copying, segments: readonly string[]): Promise<void> {
  const names = await readdir(join(copying.from, "pg_wal"));
  const histories = names.filter((name) => name.endsWith(".history"));
  await severalAtOnce([...segments, ...histories], (name) =>
    copyFile(copying, join("pg_wal", name)),
  );
}

/** Writes one file of the copy, and returns when it is on the disk. */
export async function writeDataFile(
  { to, user }: Copying,
  path: string,
  content: string | Buffer,
): Promise<void> {
  await writeFile(join(to, path), content, { mode: 0o600, flush: true });
  await giveTo(user, join(to, path));
}

/** The names of all that was written survive a power cut after this. */
export async function syncDataDirectories({ to }: Copying, listed: DataFiles): Promise<void> {
  for (const path of listed.directories) await syncDirectory(join(to, path));
}

/**
 * Reads to where the file ends by then. `fs.copyFile` would copy the length that the file had at first, and go round for
 * ever in one that was cut shorter meanwhile.
 */
async function copyFile(
  { from, to, user, signal }: Copying,
  path: string,
  onMissing: (error: NodeJS.ErrnoException) => null = rethrow,
): Promise<void> {
  const source = await open(join(from, path)).catch(onMissing);
  if (!source) return;
  const target = createWriteStream(join(to, path), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(source.createReadStream({ highWaterMark: chunkBytes }), target, { signal });
  await giveTo(user, join(to, path));
}

const chunkBytes = 1024 * 1024;

/** Postgres writes it in one go, but nothing keeps a reader from seeing half of that. */
async function readSettled(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    const next = await readFile(path);
    if (next.equals(last)) return next;
    last = next;
  }
}

/** As many as Node has threads for files. After the first failure no more are begun, and those under way are waited for. */
async function severalAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let failed = false;
  const takeTurns = async (): Promise<void> => {
    for (const item of queue) {
      if (failed) return;
      await work(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 4 }, takeTurns));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function unlessVanished(error: NodeJS.ErrnoException): null {
  if (error.code !== "ENOENT") throw error;
  return null;
}

function rethrow(error: Error): never {
  throw error;
}
