import type { ApprovalFigures, ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { inWords } from "../../components/badge.tsx";
import { brandName } from "../../components/brand-name.ts";
import { countryName } from "../../components/country-names.ts";
import { PageLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { formatCount, formatPercent } from "../../components/numbers.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { ConnectionNames } from "./connection-name.ts";
import { feeText } from "./suggestion-text.ts";

type Row = ApprovalFigures & { readonly key: string; readonly name: string };

const none = <p className="p-4 text-ink-soft sm:p-5">No payments in this period.</p>;

function columnsOf(title: string): readonly Column<Row>[] {
  return [
    { title, cell: ({ name }) => name },
    {
      title: "Approval rate",
      align: "end",
      cell: ({ approval_rate }) => (
        <span className="tabular-nums">
          {approval_rate === null ? "–" : formatPercent(approval_rate)}
        </span>
      ),
    },
    {
      title: "95% confidence",
      align: "end",
      from: "md",
      below: "title and cell",
      cell: ({ interval }) => (
        <span className="whitespace-nowrap text-ink-soft tabular-nums">
          {interval === null
            ? "–"
            : `${formatPercent(interval.low)} – ${formatPercent(interval.high)}`}
        </span>
      ),
    },
    {
      title: "Declined",
      align: "end",
      from: "sm",
      cell: ({ declined }) => <span className="tabular-nums">{formatCount(declined)}</span>,
    },
    {
      title: "Payments",
      align: "end",
      cell: ({ attempts }) => <span className="tabular-nums">{formatCount(attempts)}</span>,
    },
  ];
}

function ApprovalTable({ label, title, rows }: { label: string; title: string; rows: Row[] }) {
  return (
    <Panel title={label} flush>
      <Table
        label={label}
        columns={columnsOf(title)}
        rows={rows}
        keyOf={({ key }) => key}
        empty={none}
      />
    </Panel>
  );
}

/** The approval rates by connection, card network and issuing country. */
export function ApprovalTables({
  metrics,
  names,
}: {
  metrics: ApprovalMetrics;
  names: ConnectionNames;
}) {
  const { connections, networks, countries } = metrics;
  return (
    <>
      <ApprovalTable
        label="Connections"
        title="Connection"
        rows={connections.map((row) => ({
          ...row,
          key: row.connection,
          name: names.get(row.connection) ?? row.connection,
        }))}
      />
      <ApprovalTable
        label="Card networks"
        title="Card network"
        rows={networks.map((row) => ({ ...row, key: row.network, name: brandName(row.network) }))}
      />
      <ApprovalTable
        label="Issuing countries"
        title="Issuing country"
        rows={countries.map((row) => ({
          ...row,
          key: row.country ?? "",
          name: row.country === null ? "Unknown" : countryName(row.country),
        }))}
      />
    </>
  );
}

const declineColumns: readonly Column<ApprovalMetrics["declines"][number]>[] = [
  {
    title: "Decline reason",
    cell: ({ decline_code }) => (
      <PageLink to={`/payments?decline_code=${decline_code}`} className="hover:underline">
        {inWords(decline_code)}
      </PageLink>
    ),
  },
  {
    title: "Share of declines",
    align: "end",
    cell: ({ share }) => <span className="tabular-nums">{formatPercent(share)}</span>,
  },
  {
    title: "Payments",
    align: "end",
    cell: ({ count }) => <span className="tabular-nums">{formatCount(count)}</span>,
  },
];

export function DeclineTable({ declines }: Pick<ApprovalMetrics, "declines">) {
  return (
    <Panel title="Decline reasons" flush>
      <Table
        label="Decline reasons"
        columns={declineColumns}
        rows={declines}
        keyOf={({ decline_code }) => decline_code}
        empty={<p className="p-4 text-ink-soft sm:p-5">No declined payments in this period.</p>}
      />
    </Panel>
  );
}

type Cost = ApprovalMetrics["costs"][number];

/** The acquirers' fees for captured payments, by connection and card network. */
export function CostTable({
  costs,
  names,
}: Pick<ApprovalMetrics, "costs"> & { names: ConnectionNames }) {
  const columns: readonly Column<Cost>[] = [
    { title: "Connection", cell: ({ connection }) => names.get(connection) ?? connection },
    {
      title: "Card network",
      from: "sm",
      below: "cell",
      cell: ({ network }) => brandName(network ?? "unknown"),
    },
    {
      title: "Fee rate",
      align: "end",
      cell: ({ fees, amount }) => (
        <span className="tabular-nums">{amount === 0 ? "–" : feeText(fees / amount)}</span>
      ),
    },
    {
      title: "Fees",
      align: "end",
      cell: ({ fees, currency }) => <Money amount={fees} currency={currency} />,
    },
    {
      title: "Captured",
      align: "end",
      from: "md",
      below: "title and cell",
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      title: "Payments",
      align: "end",
      from: "sm",
      cell: ({ payments }) => <span className="tabular-nums">{formatCount(payments)}</span>,
    },
  ];
  return (
    <Panel title="Costs" lead="From the settlement files of this period." flush>
      <Table
        label="Costs"
        columns={columns}
        rows={costs.filter(({ network }) => network !== null)}
        keyOf={({ connection, network, currency }) => `${connection} ${network} ${currency}`}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            No settlement file of this period contains captured payments.
          </p>
        }
      />
    </Panel>
  );
}
