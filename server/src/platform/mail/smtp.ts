import { plainText, type QueuedMail } from "./mail.ts";
import { mailHtml } from "./mail-html.ts";

/** Sends an email through the mail server. Throws if the server does not accept it. */
export type SendMail = (mail: QueuedMail) => Promise<void>;

const timeoutMs = 20_000;

export type SmtpOptions = {
  /** `smtp://user:password@host:587`, or `smtps://` for implicit TLS. */
  readonly url: string;
  /** The sender, with or without a name. */
  readonly from: string;
  /** The origin at which mail programs load the logos of merchants. */
  readonly origin: () => string;
  /**
   * With `verified`, neither the password nor an email is sent without TLS and a valid certificate for the host. An
   * attacker on the network can remove STARTTLS from the server's response (RFC 3207 §6). With `opportunistic`, TLS is
   * used if the server offers it, with any certificate.
   */
  readonly tls: "verified" | "opportunistic";
};

export function createSmtpSender({ url, from, origin, tls }: SmtpOptions): SendMail {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  // Imported on first use, because servers that send no mail do not need the library in memory.
  const createdTransport = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port) || (secure ? 465 : 587),
      secure,
      ...(username && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      requireTLS: tls === "verified",
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
      tls: { rejectUnauthorized: tls === "verified", minVersion: "TLSv1.2" },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Emails have no attachments, so the library must not read files or fetch URLs.
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return async (mail) => {
    const transport = await createdTransport;
    await transport.sendMail({
      from,
      to: onlyAddress(mail.to),
      subject: mail.subject,
      ...(mail.replyTo && { replyTo: onlyAddress(mail.replyTo) }),
      text: plainText(mail),
      html: mailHtml(mail, origin()),
      // A repeated email has the same message ID, so that mail programs can detect the duplicate.
      messageId: `<${mail.id}@${from.split("@").at(-1)?.replace(/>$/, "")}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  };
}

/**
 * Returns one address in a form that the library does not parse. The library would read a text such as
 * `ada@example.com,1.x` as a list, and send the email to `ada@example.com`.
 */
function onlyAddress(address: string): { readonly name: string; readonly address: string } {
  return { name: "", address };
}
