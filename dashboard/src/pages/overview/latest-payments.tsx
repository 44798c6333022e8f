import type { Charge } from "@florin/contract/charge.ts";
import { useList } from "../../api/use-list.ts";
import { Card } from "../../components/card.tsx";
import { Ago } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { PaymentStatus } from "../payments/payment-status.tsx";

/** The newest payments, refreshed every 10 seconds. */
export function LatestPayments() {
  const { rows, pending, problem } = useList<Charge>("/charges", {}, { size: 8, everyMs: 10_000 });
  return (
    <Panel title="Latest payments" flush actions={<PageLink to="/payments">View all</PageLink>}>
      <Table
        label="Latest payments"
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/payments/${id}`}
        pending={pending}
        problem={problem}
        columns={[
          {
            title: "Amount",
            align: "end",
            cell: ({ amount, currency }) => <Money {...{ amount, currency }} named />,
          },
          { title: "Status", cell: (charge) => <PaymentStatus charge={charge} /> },
          {
            title: "Card",
            from: "md",
            below: "cell",
            cell: ({ payment_method_details: { card } }) => <Card {...card} />,
          },
          { title: "Created", align: "end", cell: ({ created }) => <Ago at={created} /> },
        ]}
        empty={<p className="p-4 text-ink-soft sm:p-5">No payments yet</p>}
      />
    </Panel>
  );
}
