import type { MailId } from "../../core/ids.ts";

/** The merchant in whose name an email is sent. */
export type MailBrand = {
  readonly name: string;
  /** `#rrggbb`, or null for the color of the service. */
  readonly color: string | null;
  /** The path at which the service serves the logo. */
  readonly logo: string | null;
};

/** An email. The HTML part is made from the text when the email is sent. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  /**
   * Paragraphs, separated by empty lines. A link is a paragraph of its own. A paragraph whose lines all contain a tab
   * is a table: the tab separates a label from its value.
   */
  readonly text: string;
  /** The label of the button that opens the link in the text: a verb. Not set: the link has no button. */
  readonly action?: string | null;
  /** Not set for an email that the service sends in its own name. */
  readonly brand?: MailBrand | null;
  /** The BCP 47 tag of the text's language. Not set for English. */
  readonly language?: string | null;
  /** The address that replies go to. Not set: the sender. */
  readonly replyTo?: string | null;
};

/** Returns the text part of an email. */
export function plainText({ text }: Pick<Mail, "text">): string {
  return text.replaceAll("\t", ": ");
}

/** A queued email. Its id contains the time at which it was queued. */
export type QueuedMail = Mail & { readonly id: MailId; readonly attempts: number };

/** Retries for about three days, as mail servers do. */
const retryAfterMinutes = [1, 5, 15, 60, 240, 720, 1440, 1440] as const;

/** Returns when a failed email is retried, or null after the last attempt. */
export function nextRetryAt(attempts: number, now: Date): Date | null {
  const minutes = retryAfterMinutes[attempts - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * 60_000);
}
