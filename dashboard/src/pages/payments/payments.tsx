import type { Charge } from "@florin/contract/charge.ts";
import { CreditCard, SearchX } from "lucide-react";
import { useMay } from "../../api/me.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { Card } from "../../components/card.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { Download } from "./download-csv.tsx";
import { paymentFilters } from "./payment-filters.ts";
import { PaymentStatus, statusReason } from "./payment-status.tsx";
import { SavedViews } from "./saved-views.tsx";

const columns: readonly Column<Charge>[] = [
  amountColumn,
  { title: "Status", cell: (charge) => <PaymentStatus charge={charge} /> },
  {
    title: "Reason",
    from: "lg",
    cell: (charge) => <span className="text-ink-soft">{statusReason(charge) ?? "—"}</span>,
  },
  {
    title: "Card",
    from: "md",
    cell: ({ payment_method_details: { card } }) => <Card {...card} />,
  },
  {
    title: "Description",
    from: "xl",
    cell: (charge) => (
      <span className="line-clamp-1 max-w-72 break-all text-ink-soft">
        {charge.description ?? "—"}
      </span>
    ),
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

export function PaymentsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(paymentFilters, values);
  const list = useList<Charge>("/charges", query);
  const may = useMay();
  const filtered = Object.keys(query).length > 0;
  return (
    <Page
      title="Payments"
      actions={
        may("payments:read") && <Download path="/charges.csv" query={query} name="payments" />
      }
    >
      <div className="grid gap-3">
        <Filters filters={paymentFilters} />
        <SavedViews list="charges" filters={paymentFilters} />
      </div>
      <Panel flush>
        <ListTable
          label="Payments"
          list={list}
          columns={columns}
          to={({ id }) => `/payments/${id}`}
          empty={filtered ? <NoMatchingPayments /> : <NoPaymentsYet />}
        />
      </Panel>
    </Page>
  );
}

function NoMatchingPayments() {
  return (
    <EmptyState icon={SearchX} title="No matching payments">
      Remove or widen a filter. Test and live payments are separate, so the payment may be in the
      other mode.
    </EmptyState>
  );
}

function NoPaymentsYet() {
  return (
    <EmptyState
      icon={CreditCard}
      title="No payments yet"
      action={
        <ButtonLink to="/start" weight="primary">
          Create the first payment
        </ButtonLink>
      }
    >
      Every payment attempt appears here, whether it succeeds or fails.
    </EmptyState>
  );
}
