import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The root directory of a Debian 13 with the packages of docs/operating/high-availability.md. The packages are not
 * installed on the machine itself, so they start no services there and may be newer than the machine's Debian.
 */
export const debian = "/var/lib/florin-test/debian-13";

const packages = ["postgresql-17", "patroni", "etcd-server", "haproxy", "pgbouncer", "iproute2"];

/** Returns why the cluster cannot run on this machine, or null if it can. */
export function reasonToSkip(): string | null {
  if (process.getuid?.() !== 0) return "network namespaces need root";
  return existsSync(debian) ? null : "`npm run failover` has not installed Debian's packages yet";
}

/** Installs the packages of the cluster, once per machine. */
export async function installDebian(print: (line: string) => void): Promise<void> {
  if (existsSync(debian)) return;
  print("Installing Debian 13 with Patroni. This happens once and takes about two minutes.");
  await bootstrapDebian(debian, "trixie", packages);
}

/** Installs a Debian with these packages into a directory, with debootstrap. */
export async function bootstrapDebian(
  directory: string,
  suite: string,
  included: readonly string[],
): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env, maxBuffer: 2 ** 24 };
  if (!existsSync("/usr/sbin/debootstrap")) {
    await run("apt-get", ["update", "--quiet=2"], options);
    const install = ["install", "--quiet=2", "--yes", "--no-install-recommends"];
    await run("apt-get", [...install, "debootstrap", "iproute2"], options);
  }
  const building = `${directory}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(dirname(directory), { recursive: true });
  const choice = included.length > 0 ? [`--include=${included.join(",")}`] : [];
  await run("debootstrap", ["--variant=minbase", ...choice, suite, building], options);
  await rename(building, directory);
}

/** The directories of this process's files within `debian`. */
export const inDebian = { data: "/srv/data", deploy: "/etc/patroni" } as const;

/**
 * Mounts the data directory, the configuration files and the kernel's file systems within `debian`. The process must
 * have its own mount namespace, so that the mounts end with it.
 */
export async function mountDebian(data: string, deploy: string): Promise<void> {
  for (const path of Object.values(inDebian)) await mkdir(`${debian}${path}`, { recursive: true });
  await run("mount", ["--bind", data, `${debian}${inDebian.data}`]);
  // A copy, because the files in the repository can change while the nodes run.
  await run("mount", ["-t", "tmpfs", "tmpfs", `${debian}${inDebian.deploy}`]);
  await cp(deploy, `${debian}${inDebian.deploy}`, { recursive: true });
  await run("mount", ["-t", "proc", "proc", `${debian}/proc`]);
  await run("mount", ["--rbind", "/dev", `${debian}/dev`]);
}

/** Returns the command that runs a program of `debian` as one of its users. */
export function commandInDebian(user: string, command: readonly string[]): string[] {
  const as = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"];
  return ["chroot", debian, ...as, ...command];
}

/** Returns the number of a user or group of `debian`. */
export async function numberInDebian(kind: "-u" | "-g", name: string): Promise<number> {
  const { stdout } = await run("chroot", [debian, "id", kind, name]);
  return Number(stdout);
}
