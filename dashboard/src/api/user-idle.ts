/**
 * The idle time after which requests are marked as background reads. The service does not count those as activity, so
 * that a page with automatic reads does not keep an idle person's session open.
 */
const awayAfterMs = 60_000;

let touchedAt = performance.now();

for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
  addEventListener(event, () => (touchedAt = performance.now()), { passive: true, capture: true });
}

export function isIdle(): boolean {
  return performance.now() - touchedAt > awayAfterMs;
}
