import type { Charge } from "@florin/contract/charge.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { inWords } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { signedAmount, type Transfer } from "./payment-ledger.ts";
import { useLedgerOf } from "./use-ledger.ts";

const columns: readonly Column<Transfer>[] = [
  { title: "Type", cell: ({ kind }) => inWords(kind) },
  { title: "Debit", from: "sm", below: "title and cell", cell: ({ debit }) => inWords(debit) },
  { title: "Credit", from: "sm", below: "title and cell", cell: ({ credit }) => inWords(credit) },
  { title: "Posted", from: "md", cell: ({ created }) => <DayAndTime at={created} /> },
  {
    title: "Amount",
    align: "end",
    cell: (transfer) => <Money amount={signedAmount(transfer)} currency={transfer.currency} />,
  },
];

/** All ledger entries of the payment. */
export function PaymentLedgerEntries({ charge }: { charge: Charge }) {
  const may = useMay();
  const { data, isPending, error } = useLedgerOf(charge);
  if (!may("balance:read")) return null;
  return (
    <Panel
      title="Ledger entries"
      actions={<PageLink to={`/balance?source=${charge.id}`}>Balance transactions</PageLink>}
      flush
    >
      <Table
        label="Ledger entries"
        columns={columns}
        rows={data?.transfers ?? []}
        keyOf={({ balance_transaction_id, kind }) => `${balance_transaction_id} ${kind}`}
        pending={isPending}
        problem={error}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            No ledger entries. This payment has not moved any money.
          </p>
        }
      />
    </Panel>
  );
}
