import type { ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { ChartLine } from "lucide-react";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Chart } from "../../components/chart.tsx";
import { formatDay, formatShortDay } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatCount, formatPercent, formatWholePercent } from "../../components/numbers.ts";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { dailyRanges, RangePicker, rangeOf } from "../overview/date-range.tsx";
import { approvalFilters } from "./approval-filters.ts";
import { ApprovalTables, CostTable, DeclineTable } from "./approval-tables.tsx";
import { connectionNames } from "./connection-name.ts";
import { Suggestions } from "./suggestions.tsx";

/** The share of payments that issuers approved, by connection, card network, issuing country and decline reason. */
export function ApprovalsPage() {
  const [values] = useUrlQuery();
  const may = useMay();
  const range = rangeOf(values.range, undefined, dailyRanges);
  const { interval: _, ...period } = range.query;
  // Without filters, so that the names of all connections are known. If no filter is set, both queries share a request.
  const all = useObject<ApprovalMetrics>("/metrics/approvals", period);
  const filters = approvalFilters(all.data?.connections ?? []);
  const query = { ...period, ...queryOf(filters, values) };
  const { data, error } = useObject<ApprovalMetrics>("/metrics/approvals", query);
  const names = connectionNames(all.data?.connections ?? []);
  return (
    <Page title="Approval rates" actions={<RangePicker chosen={range} ranges={dailyRanges} />}>
      <div className="grid gap-6">
        <Filters filters={filters} />
        {error && <LoadError problem={error} />}
        {data && <Incomplete metrics={data} />}
        {data && data.total.attempts === 0 && data.costs.length === 0 && <NoPayments />}
        {data && (data.total.attempts > 0 || data.costs.length > 0) && (
          <>
            <Suggestions suggestions={data.suggestions} names={names} />
            <Charts metrics={data} />
            <ApprovalTables metrics={data} names={names} />
            <DeclineTable declines={data.declines} />
            {may("balance:read") && <CostTable costs={data.costs} names={names} />}
          </>
        )}
      </div>
    </Page>
  );
}

function Charts({ metrics: { total, data } }: { metrics: ApprovalMetrics }) {
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <Chart
        title="Approval rate"
        total={total.approval_rate === null ? "–" : formatPercent(total.approval_rate)}
        change={
          total.interval && (
            <span className="text-sm font-normal text-ink-soft">
              {formatPercent(total.interval.low)} to {formatPercent(total.interval.high)} with 95%
              confidence
            </span>
          )
        }
        kind="line"
        max={1}
        series={[
          {
            label: "Approval rate",
            points: data.map(({ start, approval_rate }) => ({ at: start, value: approval_rate })),
          },
        ]}
        format={formatPercent}
        formatTick={formatWholePercent}
        formatAt={formatDay}
        formatAtTick={formatShortDay}
      />
      <Chart
        title="Issuer decisions"
        total={formatCount(total.attempts)}
        kind="bars"
        series={[
          {
            label: "Approved",
            tone: "positive",
            points: data.map(({ start, approved }) => ({ at: start, value: approved })),
          },
          {
            label: "Declined",
            tone: "negative",
            points: data.map(({ start, declined }) => ({ at: start, value: declined })),
          },
        ]}
        format={formatCount}
        formatAt={formatDay}
        formatAtTick={formatShortDay}
      />
    </div>
  );
}

/** A notice that the first part of the period is not counted. */
function Incomplete({ metrics: { counted_since, from } }: { metrics: ApprovalMetrics }) {
  if (counted_since === null || counted_since < from + 24 * 3_600) return null;
  return <Notice>Approval rates include payments since {formatDay(counted_since)}.</Notice>;
}

function NoPayments() {
  return (
    <Panel>
      <EmptyState icon={ChartLine} title="No payments in this period">
        Approval rates by connection, card network, issuing country and decline reason appear here.
      </EmptyState>
    </Panel>
  );
}
