import { useState } from "react";

/**
 * Returns the token in the fragment of an emailed link. Removes the token from the URL immediately, so that it appears
 * neither in the browser's history nor in screenshots. Browsers do not send fragments in requests.
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => location.hash.slice(1) || tokens.get(location.pathname) || null);
  if (location.hash) {
    tokens.set(location.pathname, location.hash.slice(1));
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return token;
}

/**
 * Tokens by path. A token stays in this map while the page is open, because a component that mounts again finds no
 * token in the URL.
 */
const tokens = new Map<string, string>();
