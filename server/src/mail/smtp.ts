import type { QueuedMail } from "./mail.ts";

/** Hands a mail to the mail server; throws when it was not taken. */
export type SendMail = (mail: QueuedMail) => Promise<void>;

const patienceMs = 20_000;

/** `url`: `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte; `from`: who writes. */
export function openSmtp({ url, from }: { url: string; from: string }): SendMail {
  // Without a mail server the library stays unread.
  const opening = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      url,
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      // What we write are texts: nothing is to be fetched from anywhere for them.
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return async (mail) => {
    const transport = await opening;
    await transport.sendMail({
      from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      // The same mail tried again is the same mail.
      messageId: `<${mail.id}@${from.split("@").at(-1)?.replace(/>$/, "")}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  };
}
