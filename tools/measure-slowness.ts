/**
 * The duration of `work` on an idle core of a small cloud server. If `work` takes longer, because the machine is slower
 * or busy, the tests extend their deadlines in proportion (server/test/slowness.ts).
 */
const referenceMs = 300;

/** Returns the factor by which this machine is now slower than the reference machine, from 1 to 20. */
export function measureSlowness(): number {
  const startedAt = performance.now();
  work();
  const slowness = (performance.now() - startedAt) / referenceMs;
  return Math.round(Math.min(20, Math.max(1, slowness)) * 10) / 10;
}

/** Uses CPU time without allocating memory, so that garbage collection does not affect the measurement. */
function work(): number {
  let state = 1;
  for (let turn = 0; turn < 260_000_000; turn++) {
    state = (Math.imul(state, 0x9e3779b1) + turn) >>> 0;
  }
  return state;
}
