/**
 * The factor by which this machine is slower than the idle reference machine. `npm test` measures it when it starts
 * (tools/measure-slowness.ts).
 */
export const slowness = Number(process.env.FLORIN_TEST_SLOWNESS ?? 1);

/** Scales a deadline. A test on a busy machine waits longer before it fails, or before the service times out. */
export function slowed(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness);
}
