import { execFile } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "./startup-error.ts";

const run = promisify(execFile);

/** The system user that Postgres runs as, when it differs from the user of this process. */
export type PostgresUser = { readonly uid: number; readonly gid: number };

export type Command = { readonly file: string; readonly args: readonly string[] };

/**
 * Returns the user that Postgres must run as, or null for the user of this process. Postgres does not run as root, so a
 * server started by root runs it as a system user: the owner of the data if there is one, else `postgres`, else
 * `nobody`.
 */
export async function postgresUser(data: string): Promise<PostgresUser | null> {
  const self = process.getuid?.() ?? null;
  const owner = await stat(data).catch(() => null);
  if (self !== 0) {
    if (owner && self !== null && owner.uid !== self) {
      throw new StartupError(
        `The database in ${data} belongs to user ${owner.uid}, but Florin runs as user ${self}. ` +
          `Start Florin as user ${owner.uid} or as root, or set FLORIN_DATA to another directory.`,
      );
    }
    return null;
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (
    (await systemUser("postgres")) ?? (await createdUser("postgres")) ?? (await unprivilegedUser())
  );
}

async function unprivilegedUser(): Promise<PostgresUser> {
  const found = await systemUser("nobody");
  if (found) return found;
  throw new StartupError(
    "Postgres does not run as root, and this machine has neither a user `postgres` nor `nobody`. " +
      "Start Florin as an ordinary user, or set DATABASE_URL.",
  );
}

/** Reads /etc/passwd, because initdb looks up the user's name there too. */
async function systemUser(name: string): Promise<PostgresUser | null> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const line = passwd.split("\n").find((candidate) => candidate.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}

async function createdUser(name: string): Promise<PostgresUser | null> {
  const options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
  await run("useradd", [...options, name]).catch(() => null);
  return await systemUser(name);
}

export async function giveTo(user: PostgresUser | null, path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}

/**
 * Returns a command that runs `command` as this user. `setpriv` replaces itself with the program, so the process id of
 * the started process is that of Postgres.
 *
 * The programs or the data may be below a directory that only root can enter, such as /root. Only in this case,
 * Postgres keeps the capability to enter it. `no_setuid_fixup` is needed for access(2), which otherwise drops every
 * capability before its check.
 */
export async function asUser(
  user: PostgresUser | null,
  command: Command,
  paths: readonly string[],
): Promise<Command> {
  if (!user) return command;
  const open = await Promise.all([command.file, ...paths].map(isTraversableByAll));
  const reach = open.every(Boolean)
    ? []
    : ["--securebits=+no_setuid_fixup", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return { file: "setpriv", args: [...identity, ...reach, command.file, ...command.args] };
}

/** Returns whether every user may traverse all directories above `path`. */
async function isTraversableByAll(path: string): Promise<boolean> {
  for (let above = dirname(path); ; above = dirname(above)) {
    const { mode } = await stat(above);
    if ((mode & 0o001) === 0) return false;
    if (above === dirname(above)) return true;
  }
}
