import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import { lazy, Suspense } from "react";
import { Panel } from "../../components/panel.tsx";
import { WhenVisible } from "../../components/when-visible.tsx";
import { flowOf } from "./flow-of.ts";

const FlowPlot = lazy(() => import("./flow-plot.tsx"));

/** The way of the payments from checkout sessions to captures, refunds and disputes. */
export function PaymentFlow({ funnel }: { funnel: PaymentMetrics["funnel"] }) {
  const { nodes, links } = flowOf(funnel);
  return (
    <Panel title="Payment flow" lead="From checkout to refunds and disputes.">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
        tabIndex={0}
        aria-label="Diagram of the payment flow"
        className="overflow-x-auto"
      >
        <WhenVisible className="h-80 min-w-3xl">
          <Suspense>
            <FlowPlot nodes={nodes} links={links} />
          </Suspense>
        </WhenVisible>
      </section>
      <details className="mt-2 text-sm">
        <summary className="w-max text-ink-soft hover:text-ink">Show as table</summary>
        <table className="mt-2 w-full text-left tabular-nums">
          <thead>
            <tr className="text-ink-soft">
              <th scope="col" className="py-1 font-medium">
                From
              </th>
              <th scope="col" className="py-1 font-medium">
                To
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                Number
              </th>
            </tr>
          </thead>
          <tbody>
            {links.map(({ source, target, value }) => (
              <tr key={`${source} ${target}`} className="border-t border-line">
                <td className="py-1">{nodes[source]?.name}</td>
                <td className="py-1">{nodes[target]?.name}</td>
                <td className="py-1 text-right">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Panel>
  );
}
