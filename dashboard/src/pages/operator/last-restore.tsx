import type { LastRestore } from "@florin/contract/operator.ts";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { statusLabel } from "../../components/status-label.ts";
import { Table } from "../../components/table.tsx";
import { CompactEmptyState } from "./compact-empty-state.tsx";

type Difference = LastRestore["differences"]["data"][number];

/**
 * The last restore of the database, and the open differences from the acquirers' records that were found since the
 * restore.
 */
export function LastRestorePanel({ restore }: { restore: LastRestore }) {
  const { restored_at, restored_to, days_compared, days_without_file, differences } = restore;
  return (
    <Panel title="Last restore" flush>
      <div className="grid gap-4 border-b border-line p-4 sm:p-5">
        <KeyValues
          items={[
            ["Restored at", <DateTime key="at" at={restored_at} />],
            ["Restored to", <DateTime key="to" at={restored_to} />],
            ["Days compared", String(days_compared)],
            ["Days without a file", String(days_without_file)],
            ["Open differences", String(differences.total)],
          ]}
        />
        <p className="text-ink-soft">
          Payments that the acquirers executed between these two times can be missing from the
          database. They are listed as <i>Missing in Florin</i>.{" "}
          <a
            className="link"
            href="/docs/operating/backup-and-restore#after-a-restore"
            target="_blank"
            rel="noreferrer"
          >
            Read what to do after a restore
          </a>
        </p>
      </div>
      <Table
        label="Differences since the restore"
        rows={differences.data}
        keyOf={({ id }) => id}
        columns={[
          { title: "Difference", cell: ({ kind }) => statusLabel(kind) },
          { title: "Reference", cell: ({ reference }) => <Id id={reference} brief /> },
          {
            title: "Merchant",
            from: "md",
            cell: ({ account }) => <Id id={account} brief to={`/operator/accounts/${account}`} />,
          },
          {
            title: "Mode",
            from: "sm",
            below: "cell",
            cell: ({ livemode }) => (livemode ? "Live" : "Test"),
          },
          {
            title: "In Florin",
            align: "end",
            from: "sm",
            below: "title and cell",
            cell: ({ payment }) => <Amount side={payment} />,
          },
          {
            title: "At the acquirer",
            align: "end",
            cell: ({ acquirer }) => <Amount side={acquirer} />,
          },
        ]}
        empty={<CompactEmptyState>No open differences</CompactEmptyState>}
      />
    </Panel>
  );
}

function Amount({ side }: { side: Difference["payment"] }) {
  return side?.currency ? <Money amount={side.amount} currency={side.currency} /> : <NoValue />;
}
