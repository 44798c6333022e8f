import type { ApprovalSuggestion } from "@florin/contract/approval-metrics.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { brandName } from "../../components/brand-name.ts";
import { countryName } from "../../components/country-names.ts";
import { formatCount, formatPercent } from "../../components/numbers.ts";
import { inWords } from "../../components/status-label.ts";
import type { ConnectionNames } from "./connection-name.ts";

export type SuggestionText = {
  readonly title: string;
  /** The figures behind the title. */
  readonly detail: string;
};

/** Returns the text of a suggestion. */
export function suggestionText(
  suggestion: ApprovalSuggestion,
  names: ConnectionNames,
): SuggestionText {
  const { kind, rate, other_rate, payments, other_payments } = suggestion;
  const nameOf = (connection: string | null) =>
    connection === null ? "" : (names.get(connection) ?? connection);
  const better = nameOf(suggestion.connection);
  const worse = nameOf(suggestion.other_connection);
  const otherRate = other_rate ?? 0;
  const compared = `${formatCount(payments)} payments over ${better}, ${formatCount(other_payments ?? 0)} over ${worse}.`;
  switch (kind) {
    case "connection_approves_more":
      return {
        title: `${cardsOf(suggestion)} are approved ${pointsOf(rate - otherRate)} more often over ${better} than over ${worse}.`,
        detail: `${formatPercent(rate)} and ${formatPercent(otherRate)}. ${compared} The probability of such a difference by chance is ${probabilityText(suggestion.p_value)}. The payments may also differ in other ways, such as their amounts.`,
      };
    case "connection_costs_less":
      return {
        title: `${cardsOf(suggestion)} cost ${pointsOf(otherRate - rate)} less over ${better} than over ${worse}${suggestion.currency === null ? "" : ` in ${suggestion.currency.toUpperCase()}`}.`,
        detail: `Fees of ${feeText(rate)} and ${feeText(otherRate)} of the captured amount, from the settlement files. ${compared}`,
      };
    case "frequent_decline": {
      const code = suggestion.decline_code ?? "generic_decline";
      return {
        title: `${formatPercent(rate)} of the declines are “${inWords(code)}”.`,
        detail: `${formatCount(payments)} payments. ${declineCodes[code].nextStep}`,
      };
    }
  }
}

function cardsOf({ network, country }: ApprovalSuggestion): string {
  if (country !== null) return `Cards from ${countryName(country)}`;
  return network === null ? "Cards" : `${brandName(network)} cards`;
}

/** Formats a difference of two rates in percentage points. */
function pointsOf(difference: number): string {
  const points = difference * 100;
  return `${points.toFixed(points < 1 ? 2 : 1)} percentage points`;
}

/** Formats a fee rate with two decimals, because fees differ by hundredths of a percent. */
export function feeText(rate: number): string {
  return `${(rate * 100).toFixed(2)}%`;
}

function probabilityText(probability: number | null): string {
  return probability === null || probability < 0.0001 ? "below 0.01%" : feeText(probability);
}
