import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { formatDay } from "./date-time.tsx";

export type Point = { readonly at: number; readonly value: number | null };
export type Series = { readonly label: string; readonly points: readonly Point[] };

type Props = {
  readonly title: string;
  /** The summary figure beside the title. */
  readonly total?: ReactNode;
  readonly series: Series;
  readonly kind: "bars" | "line";
  readonly format: (value: number) => string;
  /** Formats a point in time. Default: as a day. */
  readonly formatAt?: (at: number) => string;
  /** The top of the scale. Default: the highest value. */
  readonly max?: number;
};

const height = 168;
const floor = height - 20;

/** A chart of values over time. The same figures are available as a table, also for screen readers. */
export function Chart(props: Props) {
  const { title, total, series, kind, format, formatAt = formatDay, max } = props;
  const [container, width] = useWidth();
  const id = useId();
  const [at, setAt] = useState<number | null>(null);
  const { points } = series;
  const highest = max ?? (Math.max(...points.map(({ value }) => value ?? 0)) || 1);
  const step = width / Math.max(points.length, 1);
  const x = (index: number) => (index + 0.5) * step;
  const y = (value: number) => floor - (value / highest) * (floor - 14);
  const pointed = at === null ? undefined : points[at];
  const first = points[0];
  const last = points.at(-1);
  return (
    <figure
      aria-labelledby={id}
      className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={id} className="text-sm font-medium text-ink-soft">
          {title}
        </span>
        <span className="text-sm text-ink-soft tabular-nums">
          {pointed &&
            `${formatAt(pointed.at)}: ${pointed.value === null ? "–" : format(pointed.value)}`}
        </span>
      </figcaption>
      {total !== undefined && <p className="mt-0.5 text-xl font-semibold tabular-nums">{total}</p>}
      <div ref={container} className="relative mt-3">
        <span className="absolute -top-1 right-0 text-xs text-ink-faint" aria-hidden="true">
          {format(highest)}
        </span>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          className="h-auto w-full text-accent"
          aria-hidden="true"
          onPointerLeave={() => setAt(null)}
          onPointerMove={(event) => {
            const { left, width: shown } = event.currentTarget.getBoundingClientRect();
            const index = Math.floor(((event.clientX - left) / shown) * points.length);
            setAt(Math.min(Math.max(index, 0), points.length - 1));
          }}
        >
          <line x1="0" x2={width} y1={floor} y2={floor} className="stroke-line-strong" />
          <line
            x1="0"
            x2={width}
            y1={y(highest)}
            y2={y(highest)}
            className="stroke-line"
            strokeDasharray="3 4"
          />
          {kind === "bars" ? (
            points.map(({ at: moment, value }, index) => (
              <rect
                key={moment}
                x={index * step + step * 0.14}
                width={step * 0.72}
                y={y(value ?? 0)}
                height={Math.max(floor - y(value ?? 0), value ? 1.5 : 0)}
                rx={Math.min(2, step / 4)}
                className={at === null || at === index ? "fill-current" : "fill-current opacity-45"}
              />
            ))
          ) : (
            <Lines points={points} x={x} y={y} />
          )}
          {pointed && kind === "line" && pointed.value !== null && at !== null && (
            <circle cx={x(at)} cy={y(pointed.value)} r="4" className="fill-current" />
          )}
        </svg>
      </div>
      <div aria-hidden="true" className="-mt-2 flex justify-between text-xs text-ink-faint">
        <span>{first && formatAt(first.at)}</span>
        <span>{last && formatAt(last.at)}</span>
      </div>
      <details className="mt-2 text-sm">
        <summary className="w-max text-ink-soft hover:text-ink">Show as table</summary>
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
          tabIndex={0}
          aria-label={`${title}, as a table`}
          className="mt-2 max-h-56 overflow-y-auto"
        >
          <table className="w-full text-left tabular-nums">
            <thead>
              <tr className="text-ink-soft">
                <th scope="col" className="py-1 font-medium">
                  Time
                </th>
                <th scope="col" className="py-1 pr-2 text-right font-medium">
                  {series.label}
                </th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at: moment, value }) => (
                <tr key={moment} className="border-t border-line">
                  <td className="py-1">{formatAt(moment)}</td>
                  <td className="py-1 pr-2 text-right">{value === null ? "–" : format(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

/** Measures the available width, so that a chart is drawn at that size and not stretched. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const container = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(Math.round(entry.contentRect.width), 1));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [container, width];
}

/** Draws a line with gaps where there is no measurement. */
function Lines({
  points,
  x,
  y,
}: {
  points: readonly Point[];
  x: (index: number) => number;
  y: (value: number) => number;
}) {
  let pen = "M";
  const path = points.map(({ value }, index) => {
    if (value === null) {
      pen = "M";
      return "";
    }
    const part = `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = "L";
    return part;
  });
  const lone = points
    .map((point, index) => ({ ...point, index }))
    .filter(
      ({ value, index }) =>
        value !== null &&
        (points[index - 1]?.value ?? null) === null &&
        (points[index + 1]?.value ?? null) === null,
    );
  return (
    <>
      <path
        d={path.join("")}
        className="fill-none stroke-current stroke-2"
        strokeLinejoin="round"
      />
      {lone.map(({ at, value, index }) => (
        <circle key={at} cx={x(index)} cy={y(value ?? 0)} r="2.5" className="fill-current" />
      ))}
    </>
  );
}
