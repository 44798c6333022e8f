/**
 * A page that reads by itself must not keep a session open for somebody who went away: requests say when nobody has
 * touched the page for a while, and the service then counts them as no sign of life.
 */
const awayAfterMs = 60_000;

let touchedAt = performance.now();

for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(event, () => (touchedAt = performance.now()), { passive: true, capture: true });
}

export function isAway(): boolean {
  return performance.now() - touchedAt > awayAfterMs;
}
