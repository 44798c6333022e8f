import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { routeSkipReasons } from "@florin/contract/timeline.ts";
import type { AssignmentId, ConnectionId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Assignment } from "../connections/assignment.ts";
import type { Unavailable } from "../connections/connection.ts";
import type { CardToAccept, RoutedPayment } from "./routed-payment.ts";
import { type CompiledRules, factsOf } from "./routing-rule.ts";
import { weightedOrder } from "./weighted-order.ts";

/** An active assignment of the account, with the state of its connection. */
export type Candidate = {
  readonly assignment: Pick<
    Assignment,
    "id" | "connection" | "currencies" | "networks" | "countries"
  >;
  /** The reason why the connection accepts no new charges, or null if it accepts them. */
  readonly unavailable: Unavailable | null;
  /** True if the connection's circuit breaker rejects requests now. */
  readonly isCircuitOpen: boolean;
  /** Returns whether the acquirer can represent the amount in this currency. */
  readonly represents: (price: Money) => boolean;
  readonly acceptsNetworkTokens: boolean;
  /** The wallets whose tokens the acquirer decrypts. */
  readonly gatewayWallets: ReadonlySet<DigitalWallet>;
};

/** The reason why a payment is not sent over an assignment. */
export type SkipReason = (typeof routeSkipReasons)[number];

/**
 * The order in which the account's assignments are tried for a payment, and the reasons for it. Stored with the charge.
 */
export type Route = {
  /** The version of the account's rules. 0 if there are none. */
  readonly rules: number;
  /** The numbers of the rules that match the payment. The first rule has the number 1. */
  readonly matched: readonly number[];
  /** The assignments that accept the payment, in the order in which they are tried. */
  readonly order: readonly RouteStep[];
  /** The assignments that the payment is not sent over. */
  readonly skipped: readonly { readonly assignment: AssignmentId; readonly reason: SkipReason }[];
};

export type RouteStep = {
  readonly assignment: AssignmentId;
  /** The number of the rule that determined the assignment's place. 0 if the assignment's priority determined it. */
  readonly rule: number;
};

/**
 * Returns the order in which the candidates are tried for a payment. `candidates` is in order of priority. The targets
 * of the rules that match come first, in the order of the rules. The other candidates follow by priority. Rules only
 * change the order: they cannot include an assignment that is excluded by its limits or by the state of its connection.
 *
 * `tried` contains the connections over which this payment was certainly not processed, or was declined. They are not
 * tried again.
 */
export function route(
  candidates: readonly Candidate[],
  { version, rules }: CompiledRules,
  payment: RoutedPayment,
  tried: ReadonlySet<ConnectionId> = new Set(),
): Route {
  const facts = factsOf(payment);
  const matched = rules.flatMap(({ matches }, index) => (matches(facts) ? index + 1 : []));

  const reasons = new Map<AssignmentId, SkipReason | null>(
    candidates.map((candidate) => [
      candidate.assignment.id,
      tried.has(candidate.assignment.connection)
        ? "tried"
        : whyRejected(candidate, payment.price, payment.card),
    ]),
  );
  const accepting = candidates.filter(({ assignment }) => reasons.get(assignment.id) === null);
  const reachable = accepting.filter(({ isCircuitOpen }) => !isCircuitOpen);
  // If no acquirer is reachable, a new payment is still assigned to one. The circuit breaker rejects the request or
  // admits it as a probe, and the charge records the outcome. A failover never moves a payment to an open circuit.
  const usable = reachable.length > 0 || tried.size > 0 ? reachable : accepting;
  const accepted = new Set(usable.map(({ assignment }) => assignment.id));

  const placed = new Map<AssignmentId, number>();
  for (const rule of matched) {
    const targets = rules[rule - 1]?.targets ?? [];
    for (const { assignment } of weightedOrder(targets, payment.key)) {
      if (accepted.has(assignment) && !placed.has(assignment)) placed.set(assignment, rule);
    }
  }
  for (const id of accepted) if (!placed.has(id)) placed.set(id, 0);

  return {
    rules: version,
    matched,
    order: [...placed].map(([assignment, rule]) => ({ assignment, rule })),
    skipped: candidates.flatMap(({ assignment: { id } }) =>
      accepted.has(id) ? [] : { assignment: id, reason: reasons.get(id) ?? "circuit_open" },
    ),
  };
}

/**
 * Returns the reason why a charge cannot be sent over the assignment, or null. Without a card, only the connection and
 * the price are checked. Does not consider the circuit breaker.
 */
export function whyRejected(
  { assignment, unavailable, represents, acceptsNetworkTokens, gatewayWallets }: Candidate,
  price: Money,
  card?: CardToAccept,
): SkipReason | null {
  const { currencies } = assignment;
  if (unavailable !== null) return unavailable;
  if (currencies !== null && !currencies.includes(price.currency)) return "currency";
  if (!represents(price)) return "amount";
  if (!card) return null;
  if (card.onlyAssignment && card.onlyAssignment !== assignment.id) return "other_connection";
  if (card.gatewayWallet && !gatewayWallets.has(card.gatewayWallet)) return "gateway_token";
  if (card.isNetworkToken && !acceptsNetworkTokens) return "network_token";
  return whyCardRejected(assignment, card);
}

/** An assignment that is limited to certain networks or countries rejects cards whose network or country is unknown. */
function whyCardRejected(
  { networks, countries }: Candidate["assignment"],
  card: CardToAccept,
): SkipReason | null {
  const { preferred, available } = card.networks;
  const possible = preferred === null ? available : [preferred];
  if (networks !== null && !possible.some((network) => networks.includes(network))) {
    return "network";
  }
  const { country } = card;
  if (countries !== null && (country === null || !countries.includes(country))) return "country";
  return null;
}
