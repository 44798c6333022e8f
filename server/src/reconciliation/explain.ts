import type { DifferenceKind } from "@florin/contract/reconciliation.ts";
import { unreachable } from "../core/unreachable.ts";
import type { Finding } from "./compare.ts";
import type { Side } from "./subject.ts";

/** Describes a finding in a sentence that names both sides. */
export function explain({ kind, noun, reference, payment, acquirer, ledger }: Finding): string {
  const what = `The ${noun} ${reference}`;
  switch (kind) {
    case "missing_at_acquirer":
      return `${what} is ${money(payment)} here, and no settlement file has a line for it.`;
    case "missing_here":
      return `The acquirer settled ${money(acquirer)} under ${reference}, and we know of no such ${noun}.`;
    case "amount_differs":
      return `${what} is ${money(payment)} here, and the acquirer settled ${money(acquirer)}.`;
    case "currency_differs":
      return `${what} is in ${payment?.currency} here, and the acquirer settled it in ${acquirer?.currency ?? "several currencies"}.`;
    case "state_differs":
      return payment?.amount === 0
        ? `${what} is '${payment.state}' here, and the acquirer settled ${money(acquirer)} for it.`
        : `${what} is '${payment?.state}' here with ${money(payment)}, and at the acquirer nothing is left of it.`;
    case "duplicate_line":
      return `The acquirer settled ${reference} more than once, ${money(acquirer)} each time.`;
    case "ledger_missing":
      return `${what} is '${payment?.state}' with ${money(payment)}, and the ledger has no entry for it.`;
    case "ledger_differs":
      return `${what} is '${payment?.state}' with ${money(payment)}, and the ledger holds ${money(ledger)}.`;
    case "ledger_unexplained":
      return `The ledger holds ${money(ledger)} for ${reference}, and there is no such ${noun}.`;
    case "event_missing":
      return `${what} is '${payment?.state}', and no event says so.`;
    case "totals_differ":
      return `The file's own totals are not the sum of its lines: ${acquirer?.state ?? ""}`;
    default:
      return unreachable(kind);
  }
}

/** The recommended action for each kind, as in docs/operating/reconciliation.md. */
export const advice: Readonly<Record<DifferenceKind, string>> = {
  missing_at_acquirer:
    "Ask the acquirer for the reference. If it never took the money, refund nothing and correct the books with it; if it settled it later, the difference closes with that file.",
  missing_here:
    "Money moved that nobody here asked for. Look for the reference in the logs and in backups, and have the acquirer reverse it if it is not yours.",
  amount_differs:
    "Compare the capture or the refund with the acquirer's own record. Have it corrected there, or post the rest here by hand.",
  currency_differs:
    "The acquirer converted it, or books it under another account. Have it corrected there: a balance in one currency does not pay for another.",
  state_differs:
    "One side took or returned money that the other did not. Run `florin verify`, ask the acquirer about the reference, and reverse what should not stand.",
  duplicate_line:
    "Have the acquirer take one of the lines back. The cardholder may have been charged twice: look at their statement before you answer them.",
  ledger_missing:
    "A fault of this service. Run `florin verify`, keep a backup, and do not pay out before it is explained.",
  ledger_differs:
    "A fault of this service. Run `florin verify`, keep a backup, and do not pay out before it is explained.",
  ledger_unexplained:
    "A fault of this service, or a row that was written by hand. Run `florin verify` and look at the entry.",
  event_missing:
    "Whoever listens was not told. Tell them by other means, and report it: an event is written with the payment or not at all.",
  totals_differ:
    "The file was cut or edited on its way. Ask for it again; the lines that it has were compared.",
};

function money(side: Side | null): string {
  if (!side) return "nothing";
  return `${side.amount} ${side.currency ?? "of several currencies"}`;
}
