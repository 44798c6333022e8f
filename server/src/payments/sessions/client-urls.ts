import type { ChargeId, CheckoutSessionId } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";
import type { ClientSecrets } from "./client-secret.ts";

/** The origin and the secrets of the URLs in objects and errors. */
export type Links = {
  readonly baseUrl: () => string;
  readonly clientSecrets: ClientSecrets;
};

/** Returns the URL of a session's card form. The client secret is in the fragment, which browsers do not send. */
export function embedUrl(
  { baseUrl, clientSecrets }: Links,
  { id, owner }: { readonly id: CheckoutSessionId; readonly owner: Owner },
): string {
  return `${baseUrl()}/embed/${id}#${clientSecrets.of(owner, id)}`;
}

/**
 * Returns the URL of a charge's challenge. The path names the account, which every statement needs. The secret is in
 * the fragment, which browsers do not send, so it reaches no log and no Referer header. The document sends it as a
 * bearer token.
 */
export function challengeUrl(
  { baseUrl, clientSecrets }: Links,
  { id, owner }: { readonly id: ChargeId; readonly owner: Owner },
): string {
  const mode = owner.livemode ? "live" : "test";
  return `${baseUrl()}/challenge/${owner.account}/${mode}/${id}#${clientSecrets.of(owner, id)}`;
}
