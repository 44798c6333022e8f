import type { Charge } from "@florin/contract/charge.ts";
import type { ChargeRoute } from "@florin/contract/timeline.ts";
import { acquirerTitles } from "../../components/acquirer-titles.ts";
import { Panel } from "../../components/panel.tsx";
import { useTimeline } from "./payment-timeline.tsx";
import { routeReason, routeSummary } from "./route-texts.ts";

/** Shows why the payment was sent over its connection, if the account has several connections or routing rules. */
export function PaymentRoute({ charge }: { charge: Charge }) {
  const { data } = useTimeline(charge);
  const route = data?.route;
  if (!route) return null;
  return (
    <Panel title="Routing">
      <p>{routeSummary(route)}</p>
      <ol aria-label="Connections" className="mt-3 grid gap-2 border-t border-line pt-3">
        {route.connections.map((connection, index) => (
          <Connection key={index} route={route} connection={connection} />
        ))}
      </ol>
    </Panel>
  );
}

function Connection({
  route,
  connection,
}: {
  route: ChargeRoute;
  connection: ChargeRoute["connections"][number];
}) {
  const { processor, merchant_account } = connection;
  return (
    <li className="grid">
      <span className="font-medium wrap-anywhere">
        {acquirerTitles[processor]} ({merchant_account})
      </span>
      <span className="text-sm text-ink-soft">{routeReason(route, connection)}</span>
    </li>
  );
}
