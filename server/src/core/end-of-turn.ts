let waiting: (() => void)[] = [];

/**
 * Calls `run` at the end of this turn of the event loop, when all sockets with data have been read. The requests, or
 * the acquirer's responses, that arrive in one turn are then processed directly after each other. A charge takes about
 * a tenth less CPU time than if each request were processed between the reads of two sockets, because code and data
 * stay in the CPU's caches (docs/decisions/0090-the-work-of-one-turn-runs-together.md).
 */
export function atEndOfTurn(run: () => void): void {
  if (waiting.push(run) > 1) return;
  setImmediate(() => {
    const all = waiting;
    waiting = [];
    for (const each of all) each();
  });
}
