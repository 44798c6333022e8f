import { lazy, type ReactNode, Suspense, useId, useState } from "react";
import { DrawingArea } from "./drawing-area.tsx";
import { PageLink } from "./link.tsx";
import { type PlotProps, previousColor, previousLabel, seriesColors } from "./plot.ts";

type Props = PlotProps & {
  readonly title: string;
  /** The summary figure, shown below the title. */
  readonly total?: ReactNode;
  /** Shown beside the summary figure, such as the change since the period before. */
  readonly change?: ReactNode;
};

/** The code that draws charts is loaded separately, so that the first page does not wait for it. */
const ChartPlot = lazy(() => import("./chart-plot.tsx"));

/** A chart of values over time. The same figures are available as a table, which screen readers can read. */
export function Chart({ title, total, change, ...plot }: Props) {
  const id = useId();
  const { series, format, formatAt, linkOf } = plot;
  const [first] = series;
  // The table's rows are rendered only while it is open, because they would delay the first input on a phone.
  const [isTableShown, setIsTableShown] = useState(false);
  return (
    <figure
      aria-labelledby={id}
      className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <figcaption className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-sm text-ink-soft">
        <span id={id} className="font-medium">
          {title}
        </span>
        <Legend {...plot} />
      </figcaption>
      {total !== undefined && (
        <p className="mt-0.5 flex flex-wrap items-baseline gap-x-3 text-xl font-semibold tabular-nums">
          {total}
          {change}
        </p>
      )}
      {/* The table below contains the same figures. The fixed height prevents a layout shift of the page. */}
      <DrawingArea className="mt-3 h-52">
        {(size) => (
          <Suspense>
            <ChartPlot {...plot} size={size} />
          </Suspense>
        )}
      </DrawingArea>
      <details className="mt-2 text-sm" onToggle={() => setIsTableShown(true)}>
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
                {series.map(({ label }) => (
                  <th key={label} scope="col" className="py-1 pr-2 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(isTableShown ? (first?.points ?? []) : [])
                .map(({ at }, index) => (
                  <tr key={at} className="border-t border-line">
                    <td className="py-1">
                      {linkOf ? <PageLink to={linkOf(at)}>{formatAt(at)}</PageLink> : formatAt(at)}
                    </td>
                    {series.map(({ label, points }) => {
                      const value = points[index]?.value ?? null;
                      return (
                        <td key={label} className="py-1 pr-2 text-right">
                          {value === null ? "–" : format(value)}
                        </td>
                      );
                    })}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

/** Names the colors of the series and the dashed line. A chart with a single series needs no legend. */
function Legend({ series, kind, previous }: PlotProps) {
  if (series.length < 2 && !previous) return null;
  const height = kind === "bars" ? "h-2.5" : "h-0.5";
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1">
      {series.map(({ label, tone = "accent" }) => (
        <li key={label} className="flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className={`w-2.5 rounded-[2px] forced-color-adjust-none ${height}`}
            style={{ background: seriesColors[tone] }}
          />
          {label}
        </li>
      ))}
      {previous && (
        <li className="flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className="w-4 border-t-2 border-dashed forced-color-adjust-none"
            style={{ borderColor: previousColor }}
          />
          {previousLabel}
        </li>
      )}
    </ul>
  );
}
