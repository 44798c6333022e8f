import { hash } from "node:crypto";
import type { AccountId } from "../primitives/ids.ts";

/** Why a mail is sent, which says how many there may be. */
export type MailPurpose =
  /** Requested by somebody who is not signed in. Unless the browser is known for the address, they may not own it. */
  | { readonly kind: "link"; readonly browser: string | null }
  /** Requested by a member of the account, for an address that may belong to anybody. */
  | { readonly kind: "invitation"; readonly account: AccountId }
  /** Tells people that their password or second factor changed. */
  | { readonly kind: "security" }
  /** Tells the team of an account about it. */
  | { readonly kind: "account"; readonly account: AccountId };

/** Mails of one day that are counted together. */
export type MailLimit = { readonly subject: string; readonly maxPerDay: number };

const maxPerRecipient = { link: 10, invitation: 10, security: 50, account: 100 } as const;
const maxPerAccount = { invitation: 50, account: 500 } as const;

/**
 * Returns the limits that count the mail. Each kind has its own, so that nobody can use up the mail that a person needs
 * to get in, or that warns them, by sending them another kind. Links that a known browser requests count apart, so that
 * strangers cannot use up the owner's. An address counts the same whether it has an account or not.
 */
export function limitsOf(purpose: MailPurpose, to: string): MailLimit[] {
  const { kind } = purpose;
  const recipient = hash("sha256", to.toLowerCase());
  const from = purpose.kind === "link" && purpose.browser ? ` from ${purpose.browser}` : "";
  const own = { subject: `${kind} to ${recipient}${from}`, maxPerDay: maxPerRecipient[kind] };
  if (!("account" in purpose)) return [own];
  // The account first: transactions that mail a whole team then lock its count before those of the recipients.
  const maxPerDay = maxPerAccount[purpose.kind];
  return [{ subject: `${kind} of ${purpose.account}`, maxPerDay }, own];
}

const dayMs = 24 * 60 * 60_000;

/** Returns the seconds until the counts of the next day begin. */
export function secondsToNextDay(now: Date): number {
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1_000);
}
