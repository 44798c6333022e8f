import type { FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";

/**
 * Rejects cross-origin requests that would change data with a browser's session. Browsers send Sec-Fetch-Site. Older
 * browsers send only Origin. A request with neither header is rejected.
 */
export function rejectCrossSiteRequests({ method, headers }: FastifyRequest): void {
  if (method === "GET" || method === "HEAD") return;
  const site = headers["sec-fetch-site"];
  // A page cannot set the Host header. If the host of `Origin` equals the Host header, the request comes from a page of
  // this server.
  const isSameOrigin =
    site === undefined ? hostOf(headers.origin) === headers.host : site === "same-origin";
  if (isSameOrigin) return;
  throw new ApiError(
    "cross_site_request",
    "A request that is authenticated by a session cookie must be sent from a page of the dashboard or the admin console. Use a secret key and `/api/v1` for requests from a server.",
  );
}

function hostOf(origin: string | undefined): string | null {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
}
