import type { DifferenceKind } from "@florin/contract/reconciliation.ts";
import { assertNever } from "../core/assert-never.ts";
import { moneyText } from "../core/money.ts";
import type { Finding } from "./compare.ts";
import type { Side } from "./subject.ts";

/** Returns a sentence that describes the difference and names the value on both sides. */
export function explain({ kind, noun, reference, payment, acquirer, ledger }: Finding): string {
  const what = `The ${noun} ${reference}`;
  switch (kind) {
    case "missing_at_acquirer":
      return `${what} is ${money(payment)} in Florin, but no settlement file has a line for it.`;
    case "missing_here":
      return `The acquirer settled ${money(acquirer)} under ${reference}, but there is no such ${noun}.`;
    case "amount_differs":
      return `${what} is ${money(payment)} in Florin, but the acquirer settled ${money(acquirer)}.`;
    case "currency_differs":
      return `${what} is in ${payment?.currency?.toUpperCase()} in Florin, but the acquirer settled it in ${acquirer?.currency?.toUpperCase() ?? "several currencies"}.`;
    case "state_differs":
      return payment?.amount === 0
        ? `${what} is '${payment.state}' in Florin, but the acquirer settled ${money(acquirer)} for it.`
        : `${what} is '${payment?.state}' in Florin with ${money(payment)}, but the acquirer's lines for it sum to 0.`;
    case "duplicate_line":
      return `The acquirer settled ${reference} more than once, ${money(acquirer)} each time.`;
    case "ledger_missing":
      return `${what} is '${payment?.state}' with ${money(payment)}, but the ledger has no entry for it.`;
    case "ledger_differs":
      return `${what} is '${payment?.state}' with ${money(payment)}, but the ledger has ${money(ledger)}.`;
    case "ledger_unexplained":
      return `The ledger has ${money(ledger)} for ${reference}, but there is no such ${noun}.`;
    case "event_missing":
      return `${what} is '${payment?.state}', but has no event for it.`;
    case "totals_differ":
      return `The totals in the file are not the sums of its lines: ${acquirer?.state ?? ""}`;
    default:
      return assertNever(kind);
  }
}

/** The recommended action for each kind, as in docs/operating/reconciliation.md. */
export const advice: Readonly<Record<DifferenceKind, string>> = {
  missing_at_acquirer:
    "Ask the acquirer about the reference. If it is settled later, the difference closes with that file. If it never happened, refund nothing and correct the ledger together with the acquirer.",
  missing_here:
    "The acquirer recorded a transaction that Florin did not request. Search logs and backups for the reference. If it is not yours, have the acquirer reverse it.",
  amount_differs:
    "Compare the capture or refund with the acquirer's record. Have it corrected there, or post the difference manually.",
  currency_differs:
    "The acquirer converted the amount or settled it in another account. Have it corrected there. A balance in one currency cannot offset another.",
  state_differs:
    "The payment succeeded on one side only. Run `florin verify`, ask the acquirer about the reference, and reverse the payment if it should not exist.",
  duplicate_line:
    "Have the acquirer reverse one of the lines. The cardholder may have been charged twice, so check their statement before you reply to them.",
  ledger_missing:
    "This is a bug in Florin. Run `florin verify`, keep a backup, and stop payouts until it is explained.",
  ledger_differs:
    "This is a bug in Florin. Run `florin verify`, keep a backup, and stop payouts until it is explained.",
  ledger_unexplained:
    "This is a bug in Florin, or a row was inserted manually. Run `florin verify` and inspect the entry.",
  event_missing:
    "Inform the receivers of webhooks in another way, and report the bug. An event is written in the transaction of its payment.",
  totals_differ: "The file was truncated or edited. Request it again. Its lines were compared.",
};

function money(side: Side | null): string {
  if (!side) return "nothing";
  const { amount, currency } = side;
  if (currency === null) return "amounts in several currencies";
  return moneyText(amount, currency);
}
