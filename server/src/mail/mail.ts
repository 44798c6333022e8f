import type { MailId } from "../primitives/ids.ts";

/** What somebody is told by mail: plain text, which every program shows the same way. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** One that lies in the outbox, with the time it was put there in its id. */
export type QueuedMail = Mail & { readonly id: MailId; readonly attempts: number };

/** Some three days, as mail servers themselves try. */
const retryAfterMinutes = [1, 5, 15, 60, 240, 720, 1440, 1440] as const;

/** When a mail that could not be sent is tried again; null when it is given up. */
export function nextTry(attempts: number, now: Date): Date | null {
  const minutes = retryAfterMinutes[attempts - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * 60_000);
}
