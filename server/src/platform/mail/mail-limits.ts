import { hash } from "node:crypto";
import type { AccountId } from "../../core/ids.ts";
import { hashRecipient } from "./hash-recipient.ts";

/** The reason for an email, which determines its limits. */
export type MailPurpose =
  /**
   * Requested without signing in. If the browser is not known for the address, the address may be another person's.
   * `network` is the network of the request.
   */
  | { readonly kind: "link"; readonly browser: string | null; readonly network: string }
  /** Requested by a member of the account, for any address. */
  | { readonly kind: "invitation"; readonly account: AccountId }
  /** Notifies people that their password or second factor changed. */
  | { readonly kind: "security" }
  /** Notifies the team of a change of the account, such as its suspension. */
  | { readonly kind: "account"; readonly account: AccountId }
  /** Notifies the team of an event. Members can turn off these emails. */
  | { readonly kind: "notification"; readonly account: AccountId }
  /** Sends a receipt of a payment in live mode, whose customer knows the merchant. */
  | { readonly kind: "receipt" }
  /** Sends a receipt that a person or key of the account requested, to any address. */
  | { readonly kind: "requested_receipt"; readonly account: AccountId }
  /**
   * Sends a receipt of a payment in test mode. Anyone can make such a payment, with any email address and any merchant
   * name.
   */
  | { readonly kind: "test_receipt"; readonly account: AccountId };

/** A daily limit. `subject` identifies the emails that are counted together. */
export type MailLimit = { readonly subject: string; readonly maxPerDay: number };

const maxPerRecipient = {
  link: 20,
  invitation: 10,
  security: 50,
  account: 100,
  notification: 100,
  receipt: 100,
  requested_receipt: 20,
  test_receipt: 20,
} as const;

/**
 * The maximum number of emails with links that one network can request for one address, if the browser is not known. It
 * is a fraction of the recipient's limit, so that an attacker in one network cannot use up the limit of the address's
 * owner.
 */
const maxLinksPerNetwork = 5;

const maxPerAccount = {
  invitation: 50,
  account: 500,
  notification: 500,
  requested_receipt: 500,
  test_receipt: 50,
} as const;

/**
 * Returns the limits that apply to the email. Each kind of email has a separate limit, so that an attacker cannot use
 * up the limit of sign-in mail or security warnings by causing another kind of email. Two rules keep an attacker from
 * using up the limit of the address's owner: links that a known browser requests have a separate limit, and the links
 * that one network requests have a lower limit. The limits do not depend on whether an account with the address exists.
 */
export function limitsOf(purpose: MailPurpose, to: string): MailLimit[] {
  const { kind } = purpose;
  const recipient = hashRecipient(to);
  const from = purpose.kind === "link" && purpose.browser ? ` from ${purpose.browser}` : "";
  const recipientLimit = {
    subject: `${kind} to ${recipient}${from}`,
    maxPerDay: maxPerRecipient[kind],
  };
  if (purpose.kind === "link" && !purpose.browser) {
    const subject = `link to ${recipient} by ${hash("sha256", purpose.network)}`;
    return [{ subject, maxPerDay: maxLinksPerNetwork }, recipientLimit];
  }
  if (!("account" in purpose)) return [recipientLimit];
  // The account's limit comes first, so that a transaction that mails a whole team locks the account's count before the
  // recipients' counts.
  const maxPerDay = maxPerAccount[purpose.kind];
  return [{ subject: `${kind} of ${purpose.account}`, maxPerDay }, recipientLimit];
}

const dayMs = 24 * 60 * 60_000;

/** Returns the seconds until the counts of the next day begin. */
export function secondsToNextDay(now: Date): number {
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1_000);
}
