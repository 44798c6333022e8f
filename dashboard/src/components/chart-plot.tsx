import { useNavigate } from "@tanstack/react-router";
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { useScopedPath } from "../api/use-api.ts";
import { formatShortUtcDay, formatUtcDay } from "./date-time.tsx";
import { needsDots, type PlotProps } from "./plot.ts";
import type { Size } from "./when-visible.tsx";

const colors = {
  accent: "var(--accent)",
  positive: "var(--accent)",
  negative: "var(--negative)",
  neutral: "var(--line-strong)",
} as const;

const previousLabel = "Previous period";

const maxTicks = 6;

/**
 * Returns the points with a label: in equal steps, and away from the edges, where a label would be cut off. Without a
 * choice, the library measures each label in the document, which takes a third of the time of the drawing.
 */
function ticksOf(rows: readonly { readonly at: number }[]): number[] {
  const step = Math.max(1, Math.ceil(rows.length / maxTicks));
  return rows.filter((_, index) => index % step === Math.floor(step / 2)).map(({ at }) => at);
}

type TickProps = {
  readonly x: number | string;
  readonly y: number | string;
  readonly payload: { readonly value: number };
};

/**
 * Returns the label of an axis as plain text. The library's own label measures its words in the document, which delays
 * the first input on a phone.
 */
function tickOf(format: (value: number) => string, anchor: "middle" | "end", offset: string) {
  return ({ x, y, payload }: TickProps) => (
    <text {...{ x, y }} dy={offset} textAnchor={anchor} fontSize={12} fill="var(--ink-soft)">
      {format(payload.value)}
    </text>
  );
}

/** Draws the bars and lines of a chart. */
export default function ChartPlot({ size, ...props }: PlotProps & { readonly size: Size }) {
  const { series, kind, previous, format, formatTick = format, formatAt = formatUtcDay } = props;
  const { max, linkOf, formatAtTick = formatShortUtcDay } = props;
  const navigate = useNavigate();
  const address = useScopedPath();
  const rows = (series[0]?.points ?? []).map(({ at }, index) => ({
    at,
    previous: previous?.[index] ?? null,
    ...Object.fromEntries(series.map(({ label, points }) => [label, points[index]?.value ?? null])),
  }));
  const open = (index: unknown) => {
    const at = rows[Number(index)]?.at;
    if (!linkOf || at === undefined) return;
    const [to = "", query] = address(linkOf(at)).split("?");
    void navigate({ to, search: Object.fromEntries(new URLSearchParams(query)) as never });
  };
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={size}>
      <ComposedChart
        data={rows}
        margin={{ top: 8, right: 16, bottom: 0, left: 0 }}
        // The table has the same figures, so that the drawing needs no keyboard focus.
        accessibilityLayer={false}
        onClick={({ activeTooltipIndex }) => open(activeTooltipIndex)}
        className={linkOf ? "cursor-pointer" : ""}
      >
        <CartesianGrid
          vertical={false}
          // Returns no lines. Otherwise the library measures all labels to place lines that it never draws.
          verticalCoordinatesGenerator={() => []}
          stroke="var(--line)"
          strokeDasharray="3 4"
        />
        <XAxis
          dataKey="at"
          tick={tickOf(formatAtTick, "middle", "0.71em")}
          tickLine={false}
          axisLine={{ stroke: "var(--line-strong)" }}
          ticks={ticksOf(rows)}
          interval={0}
        />
        <YAxis
          width={56}
          domain={[0, max ?? "auto"]}
          allowDecimals={max !== undefined}
          tickCount={4}
          tick={tickOf(formatTick, "end", "0.355em")}
          tickLine={false}
          axisLine={false}
          interval={0}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: "var(--hover)", stroke: "var(--line-strong)" }}
          content={({ active, payload, label }) =>
            active && payload && payload.length > 0 ? (
              <div className="rounded-md border border-line bg-surface px-3 py-2 text-sm shadow-raised">
                <p className="mb-1 font-medium">{formatAt(Number(label))}</p>
                {payload.map(({ name, value, color }) => (
                  <p key={String(name)} className="flex items-center gap-2 tabular-nums">
                    <span className="size-2 rounded-full" style={{ background: color }} />
                    <span className="text-ink-soft">{name}</span>
                    <span className="ml-auto pl-3">
                      {typeof value === "number" ? format(value) : "–"}
                    </span>
                  </p>
                ))}
              </div>
            ) : null
          }
        />
        {series.map(({ label, points, tone = "accent" }, index) =>
          kind === "bars" ? (
            <Bar
              key={label}
              dataKey={label}
              stackId="all"
              fill={colors[tone]}
              maxBarSize={36}
              radius={index === series.length - 1 ? [2, 2, 0, 0] : 0}
              isAnimationActive={false}
            />
          ) : (
            <Line
              key={label}
              dataKey={label}
              stroke={colors[tone]}
              strokeWidth={2}
              dot={needsDots(points) ? { r: 2, fill: colors[tone], strokeWidth: 0 } : false}
              isAnimationActive={false}
            />
          ),
        )}
        {previous && (
          <Line
            dataKey="previous"
            name={previousLabel}
            stroke="var(--ink-faint)"
            strokeDasharray="4 4"
            strokeWidth={1.5}
            dot={false}
            isAnimationActive={false}
          />
        )}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
