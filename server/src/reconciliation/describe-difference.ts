import type { DifferenceKind } from "@florin/contract/reconciliation.ts";
import { assertNever } from "../core/assert-never.ts";
import { moneyText } from "../core/money.ts";
import type { Finding } from "./compare.ts";
import type { Side } from "./reconciled-object.ts";

/** Returns a sentence that describes the difference and names the value on both sides. */
export function explain({ kind, noun, reference, payment, acquirer, ledger }: Finding): string {
  const what = `The ${noun} ${reference}`;
  switch (kind) {
    case "missing_at_acquirer":
      return `${what} is ${money(payment)} in Florin, but no settlement file has a line for the ${noun}.`;
    case "missing_here":
      return `The acquirer settled ${money(acquirer)} under ${reference}, but there is no such ${noun}.`;
    case "amount_differs":
      return `${what} is ${money(payment)} in Florin, but the acquirer settled ${money(acquirer)}.`;
    case "currency_differs":
      return `${what} is in ${payment?.currency?.toUpperCase()} in Florin, but the acquirer settled the ${noun} in ${acquirer?.currency?.toUpperCase() ?? "several currencies"}.`;
    case "state_differs":
      return payment?.amount === 0
        ? `${what} is '${payment.state}' in Florin, but the acquirer settled ${money(acquirer)} for the ${noun}.`
        : `${what} is '${payment?.state}' in Florin with ${money(payment)}, but the acquirer's lines for the ${noun} sum to 0.`;
    case "duplicate_line":
      return `The acquirer settled ${reference} more than once, ${money(acquirer)} each time.`;
    case "ledger_missing":
      return `${what} is '${payment?.state}' with ${money(payment)}, but the ledger has no entry for the ${noun}.`;
    case "ledger_differs":
      return `${what} is '${payment?.state}' with ${money(payment)}, but the ledger has ${money(ledger)}.`;
    case "ledger_unexplained":
      return `The ledger has ${money(ledger)} for ${reference}, but there is no such ${noun}.`;
    case "event_missing":
      return `${what} is '${payment?.state}', but has no event for that status.`;
    case "totals_differ":
      return `The totals in the file are not the sums of its lines: ${acquirer?.state ?? ""}`;
    default:
      return assertNever(kind);
  }
}

/** The recommended action for each kind, as in docs/operating/reconciliation.md. */
export const advice: Readonly<Record<DifferenceKind, string>> = {
  missing_at_acquirer:
    "Ask the acquirer about the reference. If the acquirer settles the transaction later, that settlement file closes the difference. If the transaction never took place, refund nothing, and correct the ledger together with the acquirer.",
  missing_here:
    "The acquirer recorded a transaction that Florin does not know. Search logs and backups for the reference. If you do not find the reference, have the acquirer reverse the transaction.",
  amount_differs:
    "Compare the capture or refund with the acquirer's record. Have the acquirer correct its record, or post the difference manually.",
  currency_differs:
    "The acquirer converted the amount, or settled the amount in another account. Have the acquirer correct the settlement. A balance in one currency cannot offset a balance in another.",
  state_differs:
    "The transaction took place, or was reversed, on one side only. Run `florin verify`, and ask the acquirer about the reference. If the payment should not exist, reverse it.",
  duplicate_line:
    "Have the acquirer reverse one of the lines. The acquirer may have charged the cardholder twice, so ask for the cardholder's statement before you reply to a complaint.",
  ledger_missing:
    "This is a bug in Florin. Run `florin verify`, keep a backup, and stop payouts until you know the cause.",
  ledger_differs:
    "This is a bug in Florin. Run `florin verify`, keep a backup, and stop payouts until you know the cause.",
  ledger_unexplained:
    "This is a bug in Florin, or a row was inserted manually. Run `florin verify` and inspect the entry.",
  event_missing:
    "This is a bug in Florin, which writes each event in the same database transaction as its payment. Report the bug, and notify the recipients of your webhooks in another way.",
  totals_differ:
    "The file was truncated or edited. Request the file again. Florin compared the lines that it contains.",
};

function money(side: Side | null): string {
  if (!side) return "nothing";
  const { amount, currency } = side;
  if (currency === null) return "amounts in several currencies";
  return moneyText(amount, currency);
}
