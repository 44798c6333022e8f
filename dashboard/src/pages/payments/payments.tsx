import type { Charge } from "@florin/contract/charge.ts";
import type { CheckoutSession } from "@florin/contract/checkout-session.ts";
import type { Customer } from "@florin/contract/customer.ts";
import type { Count } from "@florin/contract/list.ts";
import { CreditCard, SearchX } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { Card } from "../../components/card.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { NewRows } from "../../components/new-rows.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { useColumns } from "../../components/use-columns.tsx";
import { nameOf } from "../customers/customer-name.ts";
import { paymentFilters, searchQuery } from "./payment-filters.ts";
import { PaymentStatus } from "./payment-status.tsx";
import { SavedViews } from "./saved-views.tsx";
import { statusReason } from "./status-explanation.ts";

function columnsOf(nameOfPayer: (charge: Charge) => string | null): readonly Column<Charge>[] {
  return [
    amountColumn,
    { title: "Status", cell: (charge) => <PaymentStatus charge={charge} /> },
    {
      title: "Card",
      from: "md",
      below: "cell",
      cell: ({ payment_method_details: { card } }) => <Card {...card} />,
    },
    {
      title: "Customer",
      from: "xxl",
      cell: (charge) => <Payer name={nameOfPayer(charge)} />,
    },
    {
      title: "Reason",
      from: "xl",
      cell: (charge) => (
        <span className="text-ink-soft">{statusReason(charge) ?? <NoValue />}</span>
      ),
    },
    {
      title: "Description",
      from: "xl",
      cell: ({ description }) => <Text text={description} />,
    },
    {
      title: "Reference",
      from: "xl",
      hidden: true,
      cell: ({ client_reference_id }) => <Text text={client_reference_id} />,
    },
    {
      title: "Refunded",
      from: "xl",
      hidden: true,
      align: "end",
      cell: ({ amount_refunded: amount, currency }) =>
        amount > 0 ? <Money {...{ amount, currency }} /> : <NoValue />,
    },
    { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
  ];
}

function Payer({ name }: { name: string | null }) {
  return (
    // The column's width does not depend on the names, because the names arrive after the rows.
    <span className="block w-24 text-ink-soft @5xl:w-40">
      {name === null ? (
        <NoValue />
      ) : (
        <GivenText text={name} title={name} className="block truncate" />
      )}
    </span>
  );
}

function Text({ text }: { text: string | null }) {
  return (
    <span className="line-clamp-2 max-w-48 wrap-anywhere text-ink-soft">
      {text === null ? <NoValue /> : <GivenText text={text} />}
    </span>
  );
}

export function PaymentsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(paymentFilters, values);
  const list = useList<Charge>("/charges", query);
  const { data: total } = useObject<Count>("/charges/count", query);
  const nameOfPayer = usePayersOf(list.rows);
  const [columns, picker] = useColumns("payments", columnsOf(nameOfPayer));
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
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <SearchField label="Email, last 4, amount, reference" queryOf={searchQuery} />
          <Filters filters={paymentFilters} />
        </div>
        <SavedViews list="charges" filters={paymentFilters} />
      </div>
      <Panel
        title="All payments"
        flush
        actions={
          <>
            <NewRows path="/charges" query={query} list={list} />
            {picker}
          </>
        }
      >
        <ListTable
          label="Payments"
          list={list}
          total={total}
          columns={columns}
          to={({ id }) => `/payments/${id}`}
          empty={filtered ? <NoMatchingPayments /> : <NoPaymentsYet />}
        />
      </Panel>
    </Page>
  );
}

/**
 * Reads the customers and the checkout sessions of the payments. The returned function returns the name of a payment's
 * customer, or else the email address in the payment's checkout session.
 */
function usePayersOf(charges: readonly Charge[]): (charge: Charge) => string | null {
  const may = useMay();
  const idsOf = (id: (charge: Charge) => string | null) =>
    [...new Set(charges.flatMap((charge) => id(charge) ?? []))].sort();
  const customerIds = idsOf(({ customer_id }) => customer_id);
  const sessionIds = idsOf(({ customer_id, checkout_session_id }) =>
    customer_id === null ? checkout_session_id : null,
  );
  const { data: customers } = useObject<ListOf<Customer>>(
    customerIds.length > 0 && may("customers:read") ? "/customers" : null,
    { ids: customerIds.join(","), limit: 100 },
  );
  const { data: sessions } = useObject<ListOf<CheckoutSession>>(
    sessionIds.length > 0 && may("payments:read") ? "/checkout_sessions" : null,
    { ids: sessionIds.join(","), limit: 100 },
  );
  const names = new Map<string, string | null>([
    ...(customers?.data ?? []).map((one) => [one.id, nameOf(one)] as const),
    ...(sessions?.data ?? []).map((one) => [one.id, one.customer_email] as const),
  ]);
  return (charge) => names.get(charge.customer_id ?? charge.checkout_session_id ?? "") ?? null;
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
