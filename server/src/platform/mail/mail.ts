import type { MailId } from "../../core/ids.ts";

/** An email in plain text, which every mail program shows the same way. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** A queued email. Its id contains the time at which it was queued. */
export type QueuedMail = Mail & { readonly id: MailId; readonly attempts: number };

/** Retries for about three days, as mail servers do. */
const retryAfterMinutes = [1, 5, 15, 60, 240, 720, 1440, 1440] as const;

/** Returns when a failed email is retried, or null after the last attempt. */
export function nextRetryAt(attempts: number, now: Date): Date | null {
  const minutes = retryAfterMinutes[attempts - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * 60_000);
}
