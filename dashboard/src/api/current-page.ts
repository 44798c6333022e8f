/** Aborted when the person opens another page. */
let left = new AbortController();

/**
 * Returns the signal of the page that the person has open. The signal is aborted when the person opens another page,
 * for example with the Back button. An operation belongs to the page on which it was started.
 */
export function currentPage(): AbortSignal {
  return left.signal;
}

/** Called when the person opens another page. */
export function leavePage(): void {
  left.abort();
  left = new AbortController();
}
