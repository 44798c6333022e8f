/**
 * The time that the work below takes on an idle core of a small cloud server. A machine that needs longer, because it is
 * slower or busy, gives every deadline of the tests proportionally more time (server/test/slowness.ts).
 */
const referenceMs = 300;

/** Returns how many times longer than the reference this machine takes now, from 1 to 20. */
export function measureSlowness(): number {
  const begun = performance.now();
  work();
  const slowness = (performance.now() - begun) / referenceMs;
  return Math.round(Math.min(20, Math.max(1, slowness)) * 10) / 10;
}

/** Computes, without memory that a collection would have to visit. */
function work(): number {
  let state = 1;
  for (let turn = 0; turn < 260_000_000; turn++) {
    state = (Math.imul(state, 0x9e3779b1) + turn) >>> 0;
  }
  return state;
}
