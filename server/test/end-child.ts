import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { slowed } from "./slowness.ts";

/** The time limit of an end. It is longer than the service's own limits for the steps of a stop. */
const endWithinMs = 90_000;

/**
 * Sends the signal to a child process and waits for its exit. Returns at once if it has exited. A child that does not
 * exit in time would keep the test's process running, so it is killed.
 *
 * @throws Error when the child was killed.
 */
export async function endChild(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  let isKilled = false;
  const timer = setTimeout(() => {
    isKilled = child.kill("SIGKILL");
  }, slowed(endWithinMs));
  await exited;
  clearTimeout(timer);
  if (isKilled)
    throw new Error(`Process ${child.pid} did not exit after ${signal}, and was killed.`);
}
