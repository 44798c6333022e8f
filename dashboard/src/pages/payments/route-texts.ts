import type { ChargeRoute } from "@florin/contract/timeline.ts";
import { acquirerTitles } from "../../components/acquirer-titles.ts";

type Connection = ChargeRoute["connections"][number];
export type SkipReason = NonNullable<Connection["reason"]>;

/** The reasons for which a payment is not sent over a connection. */
export const skipTexts: Readonly<Record<SkipReason, string>> = {
  suspended: "The connection was suspended.",
  draining: "The connection accepts no new payments.",
  not_active: "The connection was not active.",
  environment: "The connection uses the acquirer’s other environment.",
  secrets: "The connection’s credentials could not be read.",
  tried: "The connection did not process the payment.",
  amount: "The acquirer does not accept this amount in this currency.",
  currency: "The connection does not accept this currency.",
  network: "The connection does not accept this card network.",
  country: "The connection does not accept cards from this country.",
  network_token: "The acquirer does not accept network tokens.",
  gateway_token: "The acquirer does not decrypt the tokens of this wallet.",
  other_connection: "The wallet token was encrypted for another connection’s acquirer.",
  circuit_open: "The acquirer did not respond to earlier requests.",
};

/** Returns the sentence that explains why the payment was sent over its connection. */
export function routeSummary(route: ChargeRoute): string {
  const used = route.connections.find(({ result }) => result === "used");
  if (!used) return "No connection accepted the payment.";
  return `Sent over ${acquirerTitles[used.processor]} because ${becauseOf(route, used)}.`;
}

function becauseOf({ rules, connections }: ChargeRoute, used: Connection): string {
  if (connections.some(({ result }) => result === "declined")) {
    return "the payment was declined over an earlier connection";
  }
  if (connections.some(({ result }) => result === "not_processed")) {
    return "an earlier connection did not process the payment";
  }
  const rule = rules.find(({ number }) => number === used.rule);
  if (rule) return `the rule “${rule.name}” matched`;
  const others = connections.filter(({ result }) => result === "not_needed");
  return others.length > 0
    ? "its priority is the highest"
    : "no other connection accepted the payment";
}

/** Returns the role of a connection in the route of a payment. */
export function routeReason({ rules }: ChargeRoute, { result, rule, reason }: Connection): string {
  if (reason !== null && result !== "used") return skipTexts[reason];
  const name = rules.find(({ number }) => number === rule)?.name;
  const place = name === undefined ? "By priority" : `Rule “${name}”`;
  switch (result) {
    case "used":
      return `${place}. Used.`;
    case "declined":
      return `${place}. The payment was declined.`;
    case "not_processed":
      return `${place}. Did not process the payment.`;
    default:
      return `${place}. Not needed.`;
  }
}
