import { decimalText } from "@florin/contract/minor-units.ts";
import { timeFormat } from "../../core/time-format.ts";
import type { Account } from "../../identity/accounts/account.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { Notification } from "./notification.ts";

/**
 * Returns the email about a notification. Returns null for types whose email needs data that the notification does not
 * have. The transaction that makes the change queues such an email.
 */
export function notificationEmail(
  { type, account, livemode, objectId, details }: Notification,
  { name: accountName, profile }: Pick<Account, "name" | "profile">,
  dashboardUrl: string,
): Omit<Mail, "to"> | null {
  const mode = livemode ? "live" : "test";
  const inTest = livemode ? "" : " (test mode)";
  const sum = amountText(details);
  const link = (page: string) => `${dashboardUrl}/${account}/${mode}/${page}/${objectId}`;
  switch (type) {
    case "dispute.opened":
      if (details.isFinal) {
        return emailOf(`Second chargeback over ${sum}${inTest}`, "View dispute", [
          `The issuer rejected the evidence for a payment of ${sum} to ${accountName}. The amount was debited from your balance again.`,
          "This decision is final. See the dispute:",
          link("disputes"),
        ]);
      }
      return emailOf(`Dispute over ${sum}${inTest}`, "View dispute", [
        `A customer of ${accountName} disputed a payment of ${sum}.`,
        details.dueBy === undefined
          ? "Respond with evidence, or accept the dispute:"
          : `Respond with evidence by ${timeText(details.dueBy, profile.timeZone)}, or accept the dispute:`,
        link("disputes"),
      ]);
    case "payout.failed":
      return emailOf(`Payout of ${sum} failed${inTest}`, "View payout", [
        `The bank rejected a payout of ${sum} to ${accountName}. The amount was returned to your balance.`,
        "Check your bank account, then create the payout again:",
        link("payouts"),
      ]);
    case "webhook_endpoint.failing":
      return emailOf(`A webhook endpoint is failing${inTest}`, "View endpoint", [
        `All deliveries to ${details.url} have failed for at least ${failingMinutes} minutes. Florin retries them, and disables the endpoint after five days of failures.`,
        "See the last response on the endpoint's page:",
        link("webhooks"),
      ]);
    default:
      return null;
  }
}

/** The time for which an endpoint must have failed before its team is notified. A deployment may take a few minutes. */
export const failingMinutes = 15;

function amountText({ amount = 0, currency = "" }: Notification["details"]): string {
  return `${decimalText(amount, currency)} ${currency.toUpperCase()}`;
}

/** Returns a deadline with its time and zone, because a day ends at different times in different zones. */
function timeText(unixSeconds: number, timeZone: string | null): string {
  return timeFormat("en-US", timeZone).format(unixSeconds * 1_000);
}

function emailOf(subject: string, action: string, paragraphs: readonly string[]): Omit<Mail, "to"> {
  const preferences =
    "You can choose which emails you receive: open Notifications in the dashboard.";
  return { subject, action, text: `${[...paragraphs, preferences].join("\n\n")}\n` };
}
