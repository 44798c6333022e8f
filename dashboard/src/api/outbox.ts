import type { OutboxMail, ServiceObject } from "@florin/contract/person.ts";
import { useQuery } from "@tanstack/react-query";
import { auth } from "./auth.ts";
import { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";

const key = "florin-outbox";

/**
 * Stores the secret from the link to the demo inbox on this device, so that later pages can link to the inbox. Removes
 * it from the URL, so that it appears neither in the browser's history nor in screenshots.
 */
export function keepOutboxSecret(): void {
  if (!location.hash) return;
  localStorage.setItem(key, location.hash.slice(1));
  history.replaceState(history.state, "", location.pathname + location.search);
}

/**
 * Reads the demo inbox with the secret of the link that the server printed at startup. Returns null if the secret is
 * missing or from an earlier start.
 */
export function useOutbox() {
  const secret = localStorage.getItem(key);
  return useQuery<Outbox | null, ApiProblem>({
    queryKey: ["outbox", secret],
    queryFn: () => readOutbox(secret),
  });
}

/**
 * Returns how the emails of a demo can be read: in this browser, with the printed link only, or not at all, because the
 * service has a mail server.
 */
export function useDemoMail(): "readable" | "with_link" | "none" {
  const secret = localStorage.getItem(key);
  const service = useQuery<ServiceObject, ApiProblem>({
    queryKey: ["service"],
    queryFn: () => auth.get<ServiceObject>("/service"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isDemo = service.data?.demo_outbox === true;
  // Uses its own query key. Sharing the inbox's would show emails cached before the page opened.
  const outbox = useQuery<Outbox | null, ApiProblem>({
    queryKey: ["outbox", "there", secret],
    queryFn: () => readOutbox(secret),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isDemo && secret !== null,
  });
  if (!isDemo) return "none";
  return outbox.data ? "readable" : "with_link";
}

type Outbox = { readonly data: readonly OutboxMail[] };

async function readOutbox(secret: string | null): Promise<Outbox | null> {
  // Without the secret the server returns 400, which the browser logs as an error.
  if (secret === null) return null;
  try {
    return await send<Outbox>({
      method: "GET",
      path: "/auth/v1/outbox",
      headers: { authorization: `Bearer ${secret}` },
    });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== "link_invalid") throw error;
    // Each start of the server prints a new secret. Another tab may have stored it in the meantime.
    if (localStorage.getItem(key) === secret) localStorage.removeItem(key);
    return null;
  }
}
