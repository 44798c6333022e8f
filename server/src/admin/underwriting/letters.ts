import type { AccountMove } from "../../identity/accounts/account-status.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { Move } from "./application.ts";

type Letter = Omit<Mail, "to">;

/** Returns the mail to the merchant about a decision, or null if the change needs no mail. */
export function letterOnDecision(move: Move, accountName: string): Letter | null {
  switch (move.kind) {
    case "ask":
      return letter(`More information is needed to take ${accountName} live`, [
        "Your application was read, and there are questions:",
        move.asked.map(({ message }) => `- ${message}`).join("\n"),
        "Sign in to the dashboard, open Going live, change what is asked for, and submit it again.",
      ]);
    case "approve":
      return letter(`${accountName} may go live`, [
        "Your application was approved. Live keys can be made in the dashboard from now on.",
        "If you did not apply, tell whoever runs the service.",
      ]);
    case "reject":
      return letter(`The application of ${accountName} was rejected`, [
        "Your application to go live was rejected:",
        move.note,
        "Test mode goes on as before.",
      ]);
    default:
      return null;
  }
}

/**
 * Returns the mail about an account's status. It leaves out the reason, which is in the audit log, because others may
 * read mail.
 */
export function letterOnAccount(
  move: Exclude<AccountMove, "approve">,
  accountName: string,
): Letter {
  const audit = "The dashboard's audit log says why.";
  switch (move) {
    case "suspend":
      return letter(`${accountName} was suspended`, [
        "Live charges are refused from now on, and nothing is paid out. Refunds, disputes and test mode go on.",
        audit,
      ]);
    case "reinstate":
      return letter(`The suspension of ${accountName} was lifted`, [
        "Live mode is open again.",
        audit,
      ]);
    case "close":
      return letter(`${accountName} was closed`, [
        "Nothing can be charged any more, in live mode or in test mode.",
        audit,
      ]);
  }
}

function letter(subject: string, paragraphs: readonly string[]): Letter {
  return { subject, text: `${paragraphs.join("\n\n")}\n` };
}
