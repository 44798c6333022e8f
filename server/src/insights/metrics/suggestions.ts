import type { ApprovalSuggestion } from "@florin/contract/approval-metrics.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import { differenceByChance } from "./confidence.ts";

/** The approvals over one connection, for the cards of one network or of one country. */
export type Segment = {
  readonly connection: string;
  readonly network: string | null;
  readonly country: string | null;
  readonly attempts: number;
  readonly approved: number;
};

export type DeclineShare = {
  readonly code: DeclineCode;
  readonly count: number;
  readonly share: number;
};

/** The fees over one connection in one currency. If `network` is null, they are the sum of all networks. */
export type Cost = {
  readonly connection: string;
  readonly network: string | null;
  readonly currency: string;
  readonly payments: number;
  readonly amount: number;
  readonly fees: number;
};

/** Connections with fewer payments are not compared. */
const minPayments = 100;
/** A smaller difference of approval rates is not worth a change of the routing, even if it is certain. */
const minDifference = 0.02;
/**
 * The maximum probability of a false suggestion in one response. It is divided by the number of comparisons (Bonferroni
 * correction), because one of a hundred comparisons would otherwise differ by chance alone.
 */
const maxChance = 0.01;
/** A smaller difference between the fees of two connections, as a share of the amount, leads to no suggestion. */
const minFeeDifference = 0.001;
/** A decline code that causes a smaller share of the declines is not suggested. */
const minDeclineShare = 0.2;
/** With fewer declines, no decline code is suggested. */
const minDeclines = 50;
const maxSuggestions = 10;

const none = {
  connection: null,
  other_connection: null,
  network: null,
  country: null,
  currency: null,
  decline_code: null,
  other_rate: null,
  other_payments: null,
  p_value: null,
} as const;

/**
 * Returns observations that a merchant may act on: higher approval rates (the largest gain in payments first), lower
 * fees, and frequent decline codes, in this order. The payments of two connections can differ in more than the
 * connection, so no suggestion is applied automatically.
 */
export function suggest(
  segments: readonly Segment[],
  costs: readonly Cost[],
  declines: readonly DeclineShare[],
): ApprovalSuggestion[] {
  return [
    ...approvalSuggestions(segments),
    ...costSuggestions(costs),
    ...declineSuggestions(declines),
  ].slice(0, maxSuggestions);
}

function approvalSuggestions(segments: readonly Segment[]): ApprovalSuggestion[] {
  const comparable = segments.filter(({ attempts }) => attempts >= minPayments);
  const pairs = pairsOf(comparable, ({ network, country }) => `${network} ${country}`);
  return pairs
    .map(([one, other]) => (rateOf(one) >= rateOf(other) ? [one, other] : [other, one]) as Pair)
    .flatMap(([better, worse]): ApprovalSuggestion[] => {
      const chance = differenceByChance(sampleOf(better), sampleOf(worse)) * pairs.length;
      const difference = rateOf(better) - rateOf(worse);
      if (difference < minDifference || chance > maxChance) return [];
      return [
        {
          ...none,
          kind: "connection_approves_more",
          connection: better.connection,
          other_connection: worse.connection,
          network: better.network,
          country: better.country,
          rate: rateOf(better),
          other_rate: rateOf(worse),
          payments: better.attempts,
          other_payments: worse.attempts,
          p_value: chance,
        },
      ];
    })
    .toSorted((one, other) => gainOf(other) - gainOf(one));
}

type Pair = readonly [Segment, Segment];

function rateOf({ approved, attempts }: Segment): number {
  return approved / attempts;
}

function sampleOf({ approved, attempts }: Segment) {
  return { successes: approved, size: attempts };
}

/** Returns the number of payments that would have been approved with the better rate. */
function gainOf({ rate, other_rate, other_payments }: ApprovalSuggestion): number {
  return (rate - (other_rate ?? 0)) * (other_payments ?? 0);
}

function costSuggestions(costs: readonly Cost[]): ApprovalSuggestion[] {
  const comparable = costs.filter(
    ({ network, payments, amount }) => network !== null && payments >= minPayments && amount > 0,
  );
  return pairsOf(comparable, ({ network, currency }) => `${network} ${currency}`)
    .map(([one, other]) => (feeRateOf(one) <= feeRateOf(other) ? [one, other] : [other, one]))
    .flatMap(([cheaper, dearer]): ApprovalSuggestion[] => {
      if (!cheaper || !dearer || feeRateOf(dearer) - feeRateOf(cheaper) < minFeeDifference)
        return [];
      return [
        {
          ...none,
          kind: "connection_costs_less",
          connection: cheaper.connection,
          other_connection: dearer.connection,
          network: cheaper.network,
          currency: cheaper.currency as ApprovalSuggestion["currency"],
          rate: feeRateOf(cheaper),
          other_rate: feeRateOf(dearer),
          payments: cheaper.payments,
          other_payments: dearer.payments,
        },
      ];
    });
}

/** Returns the fees as a share of the amount, between 0 and 1. */
function feeRateOf({ fees, amount }: Cost): number {
  return Math.min(1, Math.max(0, fees / amount));
}

function declineSuggestions(declines: readonly DeclineShare[]): ApprovalSuggestion[] {
  const all = declines.reduce((sum, { count }) => sum + count, 0);
  if (all < minDeclines) return [];
  return declines
    .filter(({ share }) => share >= minDeclineShare)
    .map(({ code, count, share }) => ({
      ...none,
      kind: "frequent_decline",
      decline_code: code,
      rate: share,
      payments: count,
    }));
}

/** Returns every pair of items with the same key. */
function pairsOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (readonly [Item, Item])[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap((alike) =>
    alike.flatMap((one, index) => alike.slice(index + 1).map((other) => [one, other] as const)),
  );
}
