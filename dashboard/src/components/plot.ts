export type Point = { readonly at: number; readonly value: number | null };
export type Series = {
  readonly label: string;
  /** The color. The first series has the accent color by default. */
  readonly tone?: "accent" | "positive" | "negative" | "neutral";
  readonly points: readonly Point[];
};

/** The color of each tone. A neutral bar needs a contrast of 3:1 with the card behind it. */
export const seriesColors: Readonly<Record<NonNullable<Series["tone"]>, string>> = {
  accent: "var(--accent)",
  positive: "var(--accent)",
  negative: "var(--negative)",
  neutral: "var(--field-line)",
};
export const previousColor = "var(--ink-faint)";
export const previousLabel = "Previous period";

export type PlotProps = {
  /** Series with the same points in time. Bars are stacked. */
  readonly series: readonly Series[];
  readonly kind: "bars" | "line";
  /** The figures of the previous period, at the same positions. Drawn as a dashed line. */
  readonly previous?: readonly (number | null)[] | undefined;
  readonly format: (value: number) => string;
  /** Formats a value for the axis, which has little space. Default: `format`. */
  readonly formatTick?: (value: number) => string;
  readonly formatAt: (at: number) => string;
  /** Formats a point in time for the axis, in the same time zone as `formatAt`. */
  readonly formatAtTick: (at: number) => string;
  /** The top of the scale. Default: above the highest value. */
  readonly max?: number;
  /** Returns the path of the page that lists the objects of a point in time. A click on the point opens this page. */
  readonly linkOf?: (at: number) => string;
};

/** A longer line has dots only if a point has no neighbors. Each dot is an element, and many dots hide the line. */
const maxDots = 14;

/** Returns whether the points of a line need dots. Without a dot, a point without neighbors would be invisible. */
export function needsDots(points: readonly Pick<Point, "value">[]): boolean {
  const isEmpty = (index: number) => (points[index]?.value ?? null) === null;
  return (
    points.length <= maxDots ||
    points.some((_, index) => !isEmpty(index) && isEmpty(index - 1) && isEmpty(index + 1))
  );
}

/** A series with a span for each value. The value is drawn between the two numbers of its span. */
export type StackedSeries = Series & { readonly spans: readonly (readonly [number, number])[] };

/** Returns the spans of the values. A bar begins at the end of the previous series' bar, and a line begins at zero. */
export function stackOf(series: readonly Series[], kind: PlotProps["kind"]): StackedSeries[] {
  const ends: number[] = [];
  return series.map((one) => ({
    ...one,
    spans: one.points.map(({ value }, index) => {
      const from = kind === "bars" ? (ends[index] ?? 0) : 0;
      const to = from + (value ?? 0);
      ends[index] = to;
      return [from, to] as const;
    }),
  }));
}

/** Returns the highest value that is drawn, or 0. */
export function highestOf(
  stack: readonly StackedSeries[],
  previous: PlotProps["previous"] = [],
): number {
  return Math.max(
    0,
    ...stack.flatMap(({ spans }) => spans.map(([, to]) => to)),
    ...previous.map((value) => value ?? 0),
  );
}

const maxLabels = 6;
const minSpaceBetweenLabels = 8;

/**
 * Returns the indexes of the points that have a label on the time axis. The labels are evenly spaced, and none is at an
 * edge, where it would be cut off. On a narrow screen there are fewer labels, because they must not overlap.
 */
export function labeledPoints(
  count: number,
  pointWidth: number,
  labelWidth: (index: number) => number,
): number[] {
  for (let labels = maxLabels; ; labels -= 1) {
    const step = Math.max(1, Math.ceil(count / labels));
    const indexes = Array.from({ length: count }, (_, index) => index).filter(
      (index) => index % step === Math.floor(step / 2),
    );
    const widest = Math.max(0, ...indexes.map(labelWidth));
    if (labels === 1 || widest + minSpaceBetweenLabels <= step * pointWidth) return indexes;
  }
}
