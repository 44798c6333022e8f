import { readdirSync, readFileSync } from "node:fs";

/** The CPU time and memory of a process. The functions below return null without `/proc`, which only Linux has. */
export type Usage = {
  readonly cpuSeconds: number;
  /** The current resident set size. */
  readonly megabytes: number;
};

/** Linux reports process times in hundredths of a second, independent of the kernel's tick rate. */
const ticksPerSecond = 100;

function usageOf(pid: number): Usage | null {
  const stat = readStat(pid);
  const status = read(`/proc/${pid}/status`);
  if (!stat || status === null) return null;
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return { cpuSeconds: stat.own, megabytes: kilobytes / 1024 };
}

/** Returns the usage of a process and of its child processes, such as the server processes of a service. */
export function usageWithWorkers(pid: number): Usage | null {
  const all = [pid, ...childrenOf(pid)].map(usageOf).filter((usage) => usage !== null);
  if (all.length === 0) return null;
  return {
    cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    megabytes: all.reduce((sum, { megabytes }) => sum + megabytes, 0),
  };
}

/**
 * Returns the usage of a whole Postgres: the postmaster and its backends, including ended ones. Memory is the
 * proportional set size (PSS), because resident sizes would count the shared buffers once per backend.
 */
export function usageOfPostgres(postmaster: number): Usage | null {
  const stat = readStat(postmaster);
  if (!stat) return null;
  const processes = [postmaster, ...childrenOf(postmaster)];
  const cpuSeconds =
    stat.ofEndedChildren +
    processes.reduce((seconds, pid) => seconds + (readStat(pid)?.own ?? 0), 0);
  const kilobytes = processes.reduce((sum, pid) => sum + proportionalKilobytes(pid), 0);
  return { cpuSeconds, megabytes: kilobytes / 1024 };
}

/** Returns the CPU time of this process's ended children, which are the load generators of earlier runs. */
export function cpuSecondsOfEndedChildren(): number | null {
  return readStat(process.pid)?.ofEndedChildren ?? null;
}

function readStat(pid: number): { parent: number; own: number; ofEndedChildren: number } | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  // In `/proc/<pid>/stat`, the second field is the program's name in parentheses, which may contain spaces. The third
  // field begins after the closing parenthesis.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const seconds = (first: number): number =>
    ((fields[first - 3] as number) + (fields[first - 2] as number)) / ticksPerSecond;
  return { parent: fields[1] as number, own: seconds(14), ofEndedChildren: seconds(16) };
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => readStat(pid)?.parent === parent);
}

function proportionalKilobytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? "")?.[1] ?? 0);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The read fails if the process has ended, or if the system is not Linux.
    return null;
  }
}
