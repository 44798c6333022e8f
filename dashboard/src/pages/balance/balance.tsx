import type {
  Balance,
  BalanceTransaction,
  BalanceTransactionType,
} from "@florin/contract/balance.ts";
import { SearchX, Wallet } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Id } from "../../components/id.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { pageOfId } from "../../shell/page-of-id.ts";
import { PayoutButton } from "../payouts/payout-button.tsx";
import { Amounts } from "./amounts.tsx";

/** Labels of the balance transaction types. */
const types: Readonly<Record<BalanceTransactionType, string>> = {
  charge: "Payment",
  charge_failure: "Capture failure",
  refund: "Refund",
  refund_failure: "Refund failure",
  dispute: "Dispute",
  dispute_reversal: "Dispute reversal",
  payout: "Payout",
  payout_failure: "Payout failure",
  acquirer_fee: "Acquirer fee",
  acquirer_fee_return: "Returned acquirer fee",
  conversion_out: "Conversion to another currency",
  conversion_in: "Conversion from another currency",
};

const filters = [
  choiceFilter("type", "Type", Object.entries(types), { single: true }),
  daysFilter("created", "Date"),
  {
    ...textFilter("currency", "Currency", "Three-letter code, such as USD."),
    query: ({ currency }: Readonly<Record<string, string | undefined>>) =>
      currency ? { currency: currency.trim().toLowerCase() } : {},
  },
  textFilter("source", "Source", "The ID of a payment, refund, dispute, payout or settlement."),
];

const columns: readonly Column<BalanceTransaction>[] = [
  {
    title: "Net",
    align: "end",
    cell: ({ net, currency }) => (
      <span className="font-medium">
        <Money amount={net} currency={currency} named />
      </span>
    ),
  },
  { title: "Type", cell: ({ type }) => types[type] },
  {
    title: "Amount",
    from: "lg",
    align: "end",
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: "Fee",
    from: "lg",
    align: "end",
    cell: ({ fee, currency }) =>
      fee === 0 ? <NoValue /> : <Money amount={fee} currency={currency} />,
  },
  {
    title: "Source",
    from: "xl",
    cell: ({ source }) => {
      const to = pageOfId(source);
      return <Id id={source} brief {...(to && { to })} />;
    },
  },
  { title: "Status", from: "sm", below: "cell", cell: ({ status }) => <Status status={status} /> },
  { title: "Date", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

/** The merchant's balance and all balance transactions. */
export function BalancePage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<BalanceTransaction>("/balance_transactions", query);
  const { data: balance, error } = useObject<Balance>("/balance");
  return (
    <Page
      title="Balance"
      lead="The total of all balance transactions. In test mode, payments become available two days after capture by default. In live mode, they become available when the acquirer settles them."
      actions={
        <>
          <ButtonLink to="/payouts">Payouts</ButtonLink>
          <PayoutButton />
        </>
      }
    >
      <Amounts balance={balance} problem={error} />
      <div className="flex flex-wrap items-center gap-2">
        <Filters filters={filters} />
        <span className="ml-auto">
          <Download path="/balance_transactions.csv" query={query} name="balance" />
        </span>
      </div>
      <Panel flush>
        <ListTable
          label="Balance transactions"
          list={list}
          columns={columns}
          empty={
            Object.keys(query).length > 0 ? (
              <EmptyState icon={SearchX} title="No matching transactions">
                Remove a filter to see more.
              </EmptyState>
            ) : (
              <EmptyState icon={Wallet} title="No balance transactions yet">
                Payments, refunds, disputes and payouts appear here with their fees.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}
