import { availableParallelism, loadavg } from "node:os";

/** The factor by which this machine was slower than the idle reference machine when `npm test` started. */
const measured = Number(process.env.FLORIN_TEST_SLOWNESS ?? 1);

/**
 * The factor by which this machine is slower than the idle reference machine: the factor that `npm test` measured
 * (tools/measure-slowness.ts), or a higher one if the load has grown since. The load is divided by twice the number of
 * cores, because a test run causes that load even if nothing else runs.
 */
export const slowness = Math.max(measured, (loadavg()[0] ?? 0) / (2 * availableParallelism()));

/** Scales a deadline. A test on a busy machine waits longer before it fails, or before the service times out. */
export function slowed(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness);
}
