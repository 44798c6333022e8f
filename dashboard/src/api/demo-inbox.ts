import type { InboxEmail } from "@florin/contract/person.ts";
import { useQuery } from "@tanstack/react-query";
import { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";
import { useService } from "./use-service.ts";

const key = "florin-inbox";

/**
 * Stores the secret from the link to the demo inbox on this device, so that later pages can link to the inbox. Removes
 * the secret from the URL, so that it appears neither in the browser's history nor in screenshots.
 */
export function keepInboxSecret(): void {
  if (!location.hash) return;
  localStorage.setItem(key, location.hash.slice(1));
  history.replaceState(history.state, "", location.pathname + location.search);
}

/**
 * Reads the demo inbox with the secret of the link that the server printed at startup. Returns null if the secret is
 * missing or from an earlier start.
 */
export function useInbox() {
  const secret = localStorage.getItem(key);
  return useQuery<Inbox | null, ApiProblem>({
    queryKey: ["inbox", secret],
    queryFn: () => readInbox(secret),
  });
}

/**
 * Returns how a person can read the emails of a demo. `readable`: this browser can open the demo inbox. `with_link`:
 * the person needs the link that the server printed. `none`: there is no demo inbox, because the service has a mail
 * server.
 */
export function useDemoMail(): "readable" | "with_link" | "none" {
  const secret = localStorage.getItem(key);
  const isDemo = useService()?.demo_inbox === true;
  // Uses its own query key. If this query shared the key of the inbox page, the page would show emails that were cached
  // before it was opened.
  const inbox = useQuery<Inbox | null, ApiProblem>({
    queryKey: ["inbox", "there", secret],
    queryFn: () => readInbox(secret),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isDemo && secret !== null,
  });
  if (!isDemo) return "none";
  return inbox.data ? "readable" : "with_link";
}

type Inbox = { readonly data: readonly InboxEmail[] };

async function readInbox(secret: string | null): Promise<Inbox | null> {
  // Without the secret the server returns 400, which the browser logs as an error.
  if (secret === null) return null;
  try {
    return await send<Inbox>({
      method: "GET",
      path: "/auth/v1/inbox",
      headers: { authorization: `Bearer ${secret}` },
    });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== "link_invalid") throw error;
    // Each start of the server prints a new secret. Another tab may already have stored the new secret, which must not
    // be removed.
    if (localStorage.getItem(key) === secret) localStorage.removeItem(key);
    return null;
  }
}
