import { useState } from "react";

/**
 * What follows the # in a mailed link. It is taken out of the address at once, so that it stays neither in the browser's
 * history nor in a picture of the screen, and it never was in a request for the page.
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => location.hash.slice(1) || kept.get(location.pathname) || null);
  if (location.hash) {
    kept.set(location.pathname, location.hash.slice(1));
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return token;
}

/** For as long as the page stands: what is drawn twice must find it twice. */
const kept = new Map<string, string>();
