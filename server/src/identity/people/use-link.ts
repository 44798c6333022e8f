import { ApiError } from "../../core/api-error.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readLink, takeLink } from "./link.sql.ts";
import type { Link, LinkPurpose } from "./link.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { hashSecretText } from "./secret-text.ts";

type LinkFor<Purpose extends LinkPurpose> = Extract<Link, { purpose: Purpose }>;

/**
 * Deletes and returns a link, in the transaction of the operation that the link authorizes. If the transaction rolls
 * back, the link stays valid.
 */
export async function useLink<Purpose extends LinkPurpose>(
  tx: Tx,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<LinkFor<Purpose>> {
  const link = await takeLink(tx, hashSecretText(token), now);
  if (link?.purpose !== purpose) throw linkInvalid();
  return link as LinkFor<Purpose>;
}

/**
 * Returns the link if it is for this purpose. Callers check the link before they hash a password, so that a link for
 * another purpose causes no hashing.
 */
export async function findLink<Purpose extends LinkPurpose>(
  deps: PeopleDeps,
  purpose: Purpose,
  token: string,
): Promise<LinkFor<Purpose>> {
  const link = await readLinkWithoutUse(deps, token);
  if (link.purpose !== purpose) throw linkInvalid();
  return link as LinkFor<Purpose>;
}

/** Returns the link without using it, so that a mail program that prefetches links does not use it up. */
export async function readLinkWithoutUse(
  { database, clock }: PeopleDeps,
  token: string,
): Promise<Link> {
  const link = await readLink(database.read, hashSecretText(token), clock.now());
  if (!link) throw linkInvalid();
  return link;
}

function linkInvalid(): ApiError {
  return new ApiError(
    "link_invalid",
    "This link is incomplete, expired, already used or replaced by a newer link. Open the newest link, or request a new one.",
    { param: "token" },
  );
}
