import { useNavigate } from "@tanstack/react-router";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useScopedPath } from "../api/use-api.ts";
import type { Size } from "./drawing-area.tsx";
import {
  highestOf,
  labeledPoints,
  needsDots,
  type PlotProps,
  previousColor,
  previousLabel,
  type Series,
  seriesColors,
  stackOf,
} from "./plot.ts";

const maxBarWidth = 36;
const fontSize = 12;
/** The space around the plot area. On the left, the width of the value labels is added. */
const space = { top: 10, right: 16, bottom: 26, label: 10 } as const;

/** Draws the bars and lines of a chart. */
export default function ChartPlot({ size: first, ...props }: PlotProps & { readonly size: Size }) {
  const { series, kind, previous, format, formatTick = format, formatAt, formatAtTick } = props;
  const { max, linkOf } = props;
  const navigate = useNavigate();
  const address = useScopedPath();
  const area = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(area, first);
  const [active, setActive] = useState<number | null>(null);

  const points = series[0]?.points ?? [];
  const stack = stackOf(series, kind);
  const highest = max ?? highestOf(stack, previous);
  const scale = scaleLinear([0, highest || 1], [height - space.bottom, space.top]);
  if (max === undefined) scale.nice(3);
  // Values are counts, or amounts in the smallest unit, so they have no fractions.
  const ticks = scale
    .ticks(3)
    .filter((tick) => max !== undefined || (Number.isInteger(tick) && (highest > 0 || tick === 0)));
  const tickLabels = ticks.map((tick) => formatTick(tick));
  const left = Math.ceil(Math.max(...tickLabels.map(textWidth))) + space.label;
  const step = (width - left - space.right) / Math.max(points.length, 1);
  const centerOf = (index: number) => left + (index + 0.5) * step;
  const bottom = height - space.bottom;
  const barWidth = Math.min(maxBarWidth, step * 0.8);
  const labelAt = (index: number) => formatAtTick(points[index]?.at ?? 0);

  const pathOf = (values: readonly (number | null)[]) =>
    line<number | null>(
      (_, index) => centerOf(index),
      (value) => scale(value ?? 0),
    ).defined((value) => value !== null)(values);
  const indexAt = ({ clientX }: PointerEvent) => {
    const x = clientX - (area.current?.getBoundingClientRect().left ?? 0);
    return Math.min(Math.max(Math.floor((x - left) / step), 0), points.length - 1);
  };
  const open = () => {
    const at = active === null ? undefined : points[active]?.at;
    if (!linkOf || at === undefined) return;
    const [to = "", query] = address(linkOf(at)).split("?");
    void navigate({ to, search: Object.fromEntries(new URLSearchParams(query)) as never });
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: screen readers skip the drawing. The table has the links
    // biome-ignore lint/a11y/useKeyWithClickEvents: screen readers skip the drawing. The table has the links
    <div
      ref={area}
      className={`relative size-full ${linkOf ? "cursor-pointer" : ""}`}
      onPointerMove={(event) => setActive(indexAt(event))}
      onPointerDown={(event) => setActive(indexAt(event))}
      onPointerLeave={() => setActive(null)}
      onClick={open}
    >
      {/* Scales the drawing down when the window becomes narrower, so that it does not widen the page before it is
          redrawn. On a printed page, which is often narrower than the window, the drawing is never redrawn. */}
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        className="absolute inset-0 max-w-full"
        fontSize={fontSize}
      >
        <title>{series.map(({ label }) => label).join(", ")}</title>
        {active !== null && (
          <rect
            x={left + active * step}
            y={space.top}
            width={step}
            height={bottom - space.top}
            fill="var(--hover)"
          />
        )}
        {ticks.map((tick, index) => (
          <g key={tick}>
            {tick > 0 && (
              <line
                {...{ x1: left, x2: width - space.right, y1: scale(tick), y2: scale(tick) }}
                stroke="var(--line)"
                strokeDasharray="3 4"
              />
            )}
            <text
              x={left - space.label / 2}
              y={scale(tick)}
              dy="0.355em"
              textAnchor="end"
              fill="var(--ink-soft)"
            >
              {tickLabels[index]}
            </text>
          </g>
        ))}
        <line
          {...{ x1: left, x2: width - space.right, y1: bottom, y2: bottom }}
          stroke="var(--line-strong)"
        />
        {labeledPoints(points.length, step, (index) => textWidth(labelAt(index))).map((index) => (
          <text
            key={index}
            x={centerOf(index)}
            y={bottom + 8}
            dy="0.71em"
            textAnchor="middle"
            fill="var(--ink-soft)"
          >
            {labelAt(index)}
          </text>
        ))}
        {kind === "bars"
          ? stack.map(({ label, tone = "accent", spans }) => (
              <path
                key={label}
                fill={seriesColors[tone]}
                // Separates the parts of a bar whose colors some people cannot distinguish.
                stroke={stack.length > 1 ? "var(--surface)" : undefined}
                d={spans
                  .map(([from, to], index) =>
                    to > from
                      ? bar(centerOf(index) - barWidth / 2, scale(to), barWidth, scale(from))
                      : "",
                  )
                  .join("")}
              />
            ))
          : series.map(({ label, tone = "accent", points: of }) => (
              <g key={label} fill={seriesColors[tone]}>
                <path
                  d={pathOf(of.map(({ value }) => value)) ?? undefined}
                  fill="none"
                  stroke={seriesColors[tone]}
                  strokeWidth={2}
                />
                {needsDots(of) &&
                  of.map(({ at, value }, index) =>
                    value === null ? null : (
                      <circle key={at} cx={centerOf(index)} cy={scale(value)} r={2} />
                    ),
                  )}
              </g>
            ))}
        {previous && (
          <path
            d={pathOf(points.map((_, index) => previous[index] ?? null)) ?? undefined}
            fill="none"
            stroke={previousColor}
            strokeDasharray="4 4"
            strokeWidth={1.5}
          />
        )}
      </svg>
      {active !== null && points[active] && (
        <div
          className="pointer-events-none absolute top-2 z-10 w-max rounded-md border border-line bg-surface px-3 py-2 text-sm shadow-raised"
          style={
            centerOf(active) < width / 2
              ? { left: centerOf(active) + step / 2 + 8 }
              : { right: width - centerOf(active) + step / 2 + 8 }
          }
        >
          <p className="mb-1 font-medium">{formatAt(points[active].at)}</p>
          {rowsOf(series, previous, active).map(({ label, color, value }) => (
            <p key={label} className="flex items-center gap-2 tabular-nums">
              <span className="size-2 rounded-full" style={{ background: color }} />
              <span className="text-ink-soft">{label}</span>
              <span className="ml-auto pl-3">{value === null ? "–" : format(value)}</span>
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

function rowsOf(series: readonly Series[], previous: PlotProps["previous"], index: number) {
  const rows = series.map(({ label, tone = "accent", points }) => ({
    label,
    color: seriesColors[tone],
    value: points[index]?.value ?? null,
  }));
  if (!previous) return rows;
  return [...rows, { label: previousLabel, color: previousColor, value: previous[index] ?? null }];
}

function bar(x: number, top: number, width: number, bottom: number): string {
  return `M${x},${bottom}V${top}h${width}V${bottom}Z`;
}

/**
 * Returns the size of the element, which changes with the window. `first` is the size that was measured before the
 * first render.
 */
function useSize(element: { readonly current: HTMLElement | null }, first: Size): Size {
  const [size, setSize] = useState(first);
  useEffect(() => {
    const area = element.current;
    if (!area) return;
    const observer = new ResizeObserver(() =>
      setSize((last) => {
        const { clientWidth: width, clientHeight: height } = area;
        return last.width === width && last.height === height ? last : { width, height };
      }),
    );
    observer.observe(area);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

let canvas: CanvasRenderingContext2D | null = null;

/** Returns the width of a label. Measures it on a canvas, because this needs no layout of the page. */
function textWidth(text: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * fontSize;
  canvas.font = `${fontSize}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}
