import { availableParallelism, loadavg } from "node:os";

/** The factor by which this machine was slower than the idle reference machine when `npm test` started. */
const measured = Number(process.env.FLORIN_TEST_SLOWNESS ?? 1);

/**
 * The factor by which this machine is slower than the idle reference machine: the factor that `npm test` measured
 * (tools/measure-slowness.ts), or a higher one if the load has grown since. It never decreases, because a deadline must
 * be longer than the timeouts that this process scaled earlier.
 */
let slowness = measured;

/** Scales a deadline. A test on a busy machine waits longer before it fails, or before the service times out. */
export function slowed(milliseconds: number): number {
  // A test run itself causes a load of twice the number of cores.
  const load = (loadavg()[0] ?? 0) / (2 * availableParallelism());
  slowness = Math.max(slowness, load);
  return Math.ceil(milliseconds * slowness);
}
