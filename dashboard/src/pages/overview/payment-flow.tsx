import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import { lazy, Suspense, useMemo } from "react";
import { DrawingArea } from "../../components/drawing-area.tsx";
import { formatCount } from "../../components/numbers.ts";
import { Panel } from "../../components/panel.tsx";
import { useMediaQuery } from "../../components/use-media-query.ts";
import { type FlowGraph, type FlowNode, paymentFlowGraph } from "./payment-flow-graph.ts";

const FlowPlot = lazy(() => import("./flow-plot.tsx"));

/** The flow of payments from checkout sessions to captures, refunds and disputes. */
export function PaymentFlow({ funnel }: { funnel: PaymentMetrics["funnel"] }) {
  const flow = useMemo(() => paymentFlowGraph(funnel), [funnel]);
  const isWide = useMediaQuery("(width >= 48rem)");
  return (
    <Panel title="Payment flow" lead="From checkout to refunds and disputes.">
      {isWide ? <FlowDiagram {...flow} /> : <FlowList {...flow} />}
    </Panel>
  );
}

function FlowDiagram({ nodes, links }: FlowGraph) {
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
        tabIndex={0}
        aria-label="Diagram of the payment flow"
        className="overflow-x-auto"
      >
        <DrawingArea className="h-80 min-w-3xl">
          {(size) => (
            <Suspense>
              <FlowPlot nodes={nodes} links={links} size={size} />
            </Suspense>
          )}
        </DrawingArea>
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
                <td className="py-1 text-right">{formatCount(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

const barColors: Readonly<Record<FlowNode["tone"], string>> = {
  accent: "bg-accent",
  negative: "bg-negative",
  warning: "bg-warning",
  neutral: "bg-ink-faint",
};

/** Lists the steps and their outcomes. Replaces the diagram on a phone, where it does not fit. */
function FlowList({ nodes, links }: FlowGraph) {
  return (
    <ol className="grid gap-4">
      {nodes.map(({ name, count }, index) => {
        const ways = links.filter(({ source }) => source === index);
        if (ways.length === 0) return null;
        return (
          <li key={name}>
            <p className="flex justify-between gap-3 font-medium tabular-nums">
              {name}
              <span>{formatCount(count)}</span>
            </p>
            <ul className="mt-1.5 grid gap-1.5">
              {ways.map(({ target, value }) => (
                <li key={target} className="grid gap-1">
                  <span className="flex justify-between gap-3 text-sm text-ink-soft tabular-nums">
                    {nodes[target]?.name}
                    <span>{formatCount(value)}</span>
                  </span>
                  <span aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
                    <span
                      className={`block h-full rounded-full ${barColors[nodes[target]?.tone ?? "accent"]}`}
                      style={{ width: `${(value / count) * 100}%` }}
                    />
                  </span>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ol>
  );
}
