import { useRouterState } from "@tanstack/react-router";

/** The page of the documentation that explains each section of the dashboard. */
const guides: Readonly<Record<string, string>> = {
  "api-keys": "guides/keys-and-team",
  "audit-log": "guides/keys-and-team#the-audit-log",
  balance: "guides/balance-and-payouts",
  customers: "guides/saved-cards",
  disputes: "guides/disputes",
  events: "guides/webhooks",
  "going-live": "guides/going-live",
  lists: "guides/decisions",
  operator: "operating/admin-console",
  payments: "guides/accept-a-payment",
  payouts: "guides/balance-and-payouts",
  reconciliations: "guides/balance-and-payouts#reconcile",
  refunds: "guides/refunds",
  requests: "guides/keys-and-team#the-request-log",
  reviews: "guides/decisions",
  rules: "guides/decisions",
  start: "guides/accept-a-payment",
  team: "guides/keys-and-team",
  webhooks: "guides/webhooks",
};

/** A link to the guide for the section of the current page. The overview links to the first guide. */
export function GuideLink() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [, first = "", , section = ""] = path.split("/");
  const guide = guides[first === "operator" ? first : section] ?? "guides/accept-a-payment";
  return (
    <a className="link" href={`/docs/${guide}`} target="_blank" rel="noreferrer">
      Read the guide
    </a>
  );
}
