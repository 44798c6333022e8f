import type { Figures } from "@florin/contract/operator.ts";
import { useAdminQuery } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { formatCompactMoney, formatMoney } from "../../components/amount.ts";
import { Chart } from "../../components/chart.tsx";
import {
  formatShortHour,
  formatShortUtcDay,
  formatTime,
  formatUtcDay,
} from "../../components/date-time.tsx";
import { SelectField } from "../../components/field.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { formatCount, formatPercent, formatWholePercent } from "../../components/numbers.ts";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

const modes = [
  ["live", "Live mode"],
  ["test", "Test mode"],
] as const;
const windows = [
  ["hour", "Last 48 hours"],
  ["day", "Last 30 days"],
] as const;

/** Payment volume, approval rate and latency over all merchants. */
export function MetricsPage() {
  const [{ mode: chosen, by = "hour" }, change] = useUrlQuery();
  const live = useAdminQuery<Figures>("/figures", { mode: "live", by }, 60_000);
  const test = useAdminQuery<Figures>("/figures", { mode: "test", by }, 60_000);
  // Until the operator chooses a mode, shows test mode if only test mode has payments, as before going live. Otherwise,
  // shows live mode.
  const mode = chosen ?? (hasPayments(test.data) && !hasPayments(live.data) ? "test" : "live");
  const { data, error } = mode === "test" ? test : live;
  const isPending = chosen === undefined && (live.isPending || test.isPending);
  return (
    <Page
      title="Metrics"
      lead="All merchants combined. Periods are in UTC, and the last one is still in progress."
    >
      <div className="grid gap-3 sm:max-w-md sm:grid-cols-2">
        <SelectField
          name="mode"
          label="Mode"
          choices={modes}
          value={mode}
          onChange={({ currentTarget }) => change({ mode: currentTarget.value })}
        />
        <SelectField
          name="by"
          label="Period"
          choices={windows}
          value={by}
          onChange={({ currentTarget }) => change({ by: currentTarget.value })}
        />
      </div>
      {error && <LoadError problem={error} />}
      {(isPending || !data) && !error && <Skeleton />}
      {!isPending && data && <Charts figures={data} />}
    </Page>
  );
}

function hasPayments(figures: Figures | undefined): boolean {
  return figures?.periods.some(({ charges }) => charges > 0) ?? false;
}

function Charts({ figures }: { figures: Figures }) {
  const { periods, by } = figures;
  const formatAt = by === "hour" ? formatTime : formatUtcDay;
  const formatAtTick = by === "hour" ? formatShortHour : formatShortUtcDay;
  const charges = sum(periods.map((period) => period.charges));
  const approved = sum(periods.map((period) => period.approved));
  const decided = approved + sum(periods.map((period) => period.declined));
  const currencies = [...new Set(periods.flatMap(({ volume }) => Object.keys(volume)))].sort();
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Chart
        title="Charges"
        total={formatCount(charges)}
        kind="bars"
        format={formatCount}
        formatAt={formatAt}
        formatAtTick={formatAtTick}
        series={[
          {
            label: "Charges",
            points: periods.map((period) => ({ at: period.at, value: period.charges })),
          },
        ]}
      />
      <Chart
        title="Approval rate"
        total={decided === 0 ? "–" : formatPercent(approved / decided)}
        kind="line"
        max={1}
        format={formatPercent}
        formatTick={formatWholePercent}
        formatAt={formatAt}
        formatAtTick={formatAtTick}
        series={[
          {
            label: "Approval rate",
            points: periods.map((period) => {
              const all = period.approved + period.declined;
              return { at: period.at, value: all === 0 ? null : period.approved / all };
            }),
          },
        ]}
      />
      {currencies.map((currency) => (
        <Chart
          key={currency}
          title={`Captured volume, ${currency.toUpperCase()}`}
          total={formatMoney(sum(periods.map(({ volume }) => volume[currency] ?? 0)), currency)}
          kind="bars"
          format={(value) => formatMoney(value, currency)}
          formatTick={(value) => formatCompactMoney(value, currency)}
          formatAt={formatAt}
          formatAtTick={formatAtTick}
          series={[
            {
              label: "Captured volume",
              points: periods.map(({ at, volume }) => ({ at, value: volume[currency] ?? 0 })),
            },
          ]}
        />
      ))}
      <Chart
        title="Time to outcome, median"
        total={figures.median_ms === null ? "–" : formatMs(figures.median_ms)}
        kind="line"
        format={formatMs}
        formatAt={formatAt}
        formatAtTick={formatAtTick}
        series={[
          {
            label: "Median",
            points: periods.map((period) => ({ at: period.at, value: period.median_ms })),
          },
        ]}
      />
      <Chart
        title="Time to outcome, 95th percentile"
        total={figures.p95_ms === null ? "–" : formatMs(figures.p95_ms)}
        kind="line"
        format={formatMs}
        formatAt={formatAt}
        formatAtTick={formatAtTick}
        series={[
          {
            label: "95th percentile",
            points: periods.map((period) => ({ at: period.at, value: period.p95_ms })),
          },
        ]}
      />
    </div>
  );
}

function formatMs(ms: number): string {
  return `${formatCount(ms)} ms`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
