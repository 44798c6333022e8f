import { ResponsiveContainer, Sankey } from "recharts";
import type { Size } from "../../components/drawing-area.tsx";
import { formatCount } from "../../components/numbers.ts";
import type { FlowGraph, FlowNode } from "./payment-flow-graph.ts";

const colors = {
  accent: "var(--accent)",
  negative: "var(--negative)",
  warning: "var(--warning)",
  neutral: "var(--ink-faint)",
} as const;

/** Draws the flow as a Sankey diagram. */
export default function FlowPlot({ nodes, links, size }: FlowGraph & { readonly size: Size }) {
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={size}>
      <Sankey
        data={{ nodes: [...nodes], links: [...links] }}
        nodeWidth={10}
        nodePadding={36}
        iterations={64}
        margin={{ top: 16, right: 130, bottom: 16, left: 4 }}
        accessibilityLayer={false}
        node={Node}
        link={{ stroke: "var(--ink-faint)", strokeOpacity: 0.22 }}
      />
    </ResponsiveContainer>
  );
}

type NodeProps = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly payload: unknown;
};

function Node({ x, y, width, height, payload }: NodeProps) {
  const { name, count, tone } = payload as FlowNode;
  const middle = y + height / 2;
  return (
    // The outline keeps a label readable where a flow crosses it.
    <g paintOrder="stroke" strokeWidth={3} strokeLinejoin="round">
      <rect {...{ x, y, width }} height={Math.max(height, 2)} rx={2} fill={colors[tone]} />
      <text
        x={x + width + 8}
        y={middle - 2}
        fontSize={12}
        fontWeight={500}
        fill="var(--ink)"
        stroke="var(--surface)"
      >
        {name}
      </text>
      <text
        x={x + width + 8}
        y={middle + 13}
        fontSize={12}
        fill="var(--ink-soft)"
        stroke="var(--surface)"
      >
        {formatCount(count)}
      </text>
    </g>
  );
}
