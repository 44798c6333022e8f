import type { AttemptId, CheckoutSessionId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { ClientSecrets } from "./client-secret.ts";

/** The values from which the URLs in API objects and errors are built. */
export type Links = {
  readonly baseUrl: () => string;
  readonly clientSecrets: ClientSecrets;
};

/**
 * Returns the URL of a session's card form. The client secret is in the fragment, which browsers do not send to
 * servers.
 */
export function embedUrl(
  { baseUrl, clientSecrets }: Links,
  { id, scope }: { readonly id: CheckoutSessionId; readonly scope: Scope },
): string {
  return `${baseUrl()}/embed/${id}#${clientSecrets.of(scope, id)}`;
}

/**
 * Returns the URL of the challenge document of a charge or card verification. The path contains the account, because
 * every SQL statement needs it. The client secret is in the fragment, which browsers do not send to servers, so that no
 * log or Referer header contains it. The document sends the secret as a bearer token.
 */
export function challengeUrl(
  { baseUrl, clientSecrets }: Links,
  { id, scope }: { readonly id: AttemptId; readonly scope: Scope },
): string {
  const mode = scope.livemode ? "live" : "test";
  return `${baseUrl()}/challenge/${scope.account}/${mode}/${id}#${clientSecrets.of(scope, id)}`;
}
