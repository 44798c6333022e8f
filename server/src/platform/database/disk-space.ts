import { statfs } from "node:fs/promises";
import { StartupError } from "./startup-error.ts";

/**
 * Throws if the disk of the directory has less free space than the work needs. Postgres may write to the same disk, and
 * a full disk stops the service.
 */
export async function assertDiskSpace(
  directory: string,
  neededBytes: number,
  { work, remedy }: { readonly work: string; readonly remedy: string },
): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= neededBytes) return;
  throw new StartupError(
    `The ${work} needs ${inMegabytes(neededBytes)}, but the disk of ${directory} has ${inMegabytes(free, Math.floor)} left. Free some space, or ${remedy}.`,
  );
}

/** The free space below which a disk counts as full. Postgres may then be unable to write the error to its log file. */
const fullBelowBytes = 1_000_000;

/** Returns whether the disk of the directory is full. Returns false if the directory does not exist. */
export async function isDiskFull(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => null);
  return found !== null && found.bavail * found.bsize < fullBelowBytes;
}

/** Formats a size in megabytes, by default rounded up: `46 MB`. Free space is rounded down. */
export function inMegabytes(
  bytes: number,
  round: (megabytes: number) => number = Math.ceil,
): string {
  return `${round(bytes / 1_000_000)} MB`;
}
