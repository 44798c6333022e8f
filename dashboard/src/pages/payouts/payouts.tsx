import type { Account } from "@florin/contract/account.ts";
import type { Payout } from "@florin/contract/balance.ts";
import { Landmark, SearchX } from "lucide-react";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { Status } from "../../components/badge.tsx";
import { DateTime, DayAndTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { CheckField } from "../../components/field.tsx";
import { queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { PayoutButton } from "./payout-button.tsx";
import { payoutDescription } from "./payout-description.ts";

const filters = [statusFilter(["pending", "in_transit", "paid", "failed"])];

const columns: readonly Column<Payout>[] = [
  amountColumn,
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Description",
    from: "sm",
    below: "cell",
    cell: (payout) => <span className="text-ink-soft">{payoutDescription(payout)}</span>,
  },
  {
    title: "Arrives",
    from: "md",
    cell: ({ arrival_date, status }) =>
      status === "failed" ? <NoValue /> : <DateTime at={arrival_date} only="day" />,
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

/** The payouts to the merchant's bank account. */
export function PayoutsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<Payout>("/payouts", query);
  const isLive = useApi().scope.mode === "live";
  return (
    <Page
      title="Payouts"
      lead={
        isLive
          ? "Transfers to your bank account, which the acquirer makes on its own schedule."
          : "Transfers from your balance to your bank account, created daily or on demand."
      }
      actions={
        <>
          <ButtonLink to="/balance">Balance</ButtonLink>
          <PayoutButton />
        </>
      }
    >
      {!isLive && <Schedule />}
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Payouts"
          list={list}
          columns={columns}
          to={({ id }) => `/payouts/${id}`}
          empty={
            query.status ? (
              <EmptyState icon={SearchX} title="No matching payouts">
                Remove the filter to see all payouts.
              </EmptyState>
            ) : (
              <EmptyState icon={Landmark} title="No payouts yet">
                Payouts to your bank account appear here. In test mode, payments become available
                for payout two days after capture by default.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}

function Schedule() {
  const may = useMay();
  const { data: account } = useObject<Account>(may("account:read") ? "/account" : null);
  const change = useOperation<boolean, Account>(
    (api, daily, key) => api.post("/account", { payout_schedule: daily ? "daily" : "manual" }, key),
    {
      done: ({ payout_schedule }) =>
        showToast(
          payout_schedule === "daily" ? "Daily payouts enabled." : "Daily payouts disabled.",
        ),
    },
  );
  if (!account) return null;
  return (
    <Panel>
      <CheckField
        name="payout_schedule"
        label="Pay out daily"
        hint="Pays out the available balance in each currency once a day (UTC)."
        checked={account.payout_schedule === "daily"}
        disabled={!may("account:write") || change.pending}
        onChange={(event) => void change.run(event.currentTarget.checked)}
      />
      {change.problem && <Problem problem={change.problem} />}
    </Panel>
  );
}
