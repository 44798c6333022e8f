import type { AccountTransition } from "../../identity/accounts/account-status.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { ApplicationTransition } from "./application.ts";

type Email = Omit<Mail, "to">;

/** Returns the email to the merchant about a decision, or null if the transition is not announced by email. */
export function applicationDecisionEmail(
  transition: ApplicationTransition,
  accountName: string,
): Email | null {
  switch (transition.kind) {
    case "request_information":
      return emailOf(`Questions about the application for ${accountName}`, [
        "We reviewed your application for live mode and have questions:",
        transition.requests.map(({ message }) => `- ${message}`).join("\n"),
        "Sign in to the dashboard, open Going live, update your application and submit it again.",
      ]);
    case "approve":
      return emailOf(`${accountName} is approved for live mode`, [
        "Your application for live mode was approved. You can create live keys in the dashboard now.",
        "If you did not apply, contact the operator of the service.",
      ]);
    case "reject":
      return emailOf(`The application for ${accountName} was rejected`, [
        "Your application for live mode was rejected:",
        transition.note,
        "Test mode is not affected.",
      ]);
    default:
      return null;
  }
}

/**
 * Returns the email about an account's status. The email leaves out the reason, because others may read the mailbox.
 * The merchant finds the reason in the audit log.
 */
export function accountStatusEmail(
  transition: Exclude<AccountTransition, "approve">,
  accountName: string,
): Email {
  const audit = "To read the reason, open the audit log in the dashboard.";
  switch (transition) {
    case "suspend":
      return emailOf(`${accountName} was suspended`, [
        "Live charges and payouts are no longer possible. Refunds, disputes and test mode still work.",
        audit,
      ]);
    case "reinstate":
      return emailOf(`${accountName} was reinstated`, ["Live mode is available again.", audit]);
    case "close":
      return emailOf(`${accountName} was closed`, [
        "Charges are no longer possible, in live mode or in test mode.",
        audit,
      ]);
  }
}

function emailOf(subject: string, paragraphs: readonly string[]): Email {
  return { subject, text: `${paragraphs.join("\n\n")}\n` };
}
