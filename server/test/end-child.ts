import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { slowed } from "./slowness.ts";

/** The time limit of an end. It is longer than the service's own limits for the steps of a stop. */
const endWithinMs = 90_000;

/** Returns whether the process has exited, also if a signal ended it. */
export function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * Sends the signal to a child process and waits for its exit. Returns at once if it has exited. A child that does not
 * exit in time is killed, and the test's process then exits with 1. The function does not throw, so that a hook that
 * calls it also closes everything else.
 */
export async function endChild(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  if (hasExited(child)) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => {
    console.error(`Process ${child.pid} did not exit after ${signal}, and is killed.`);
    process.exitCode = 1;
    child.kill("SIGKILL");
  }, slowed(endWithinMs));
  await exited;
  clearTimeout(timer);
}
