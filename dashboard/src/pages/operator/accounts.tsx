import type { AccountPage } from "@florin/contract/operator.ts";
import { Store } from "lucide-react";
import { useAdminQuery } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Pagination, Table } from "../../components/table.tsx";

const filters = [statusFilter(["test_only", "approved", "suspended", "closed"], { single: true })];

/** All merchant accounts. The search is in the URL. */
export function AccountsPage() {
  const [values, change] = useUrlQuery();
  const { search, after } = values;
  const { data, isPending, error } = useAdminQuery<AccountPage>("/accounts", {
    ...queryOf(filters, values),
    search,
    starting_after: after,
  });
  const last = data?.data.at(-1);
  return (
    <Page title="Accounts" lead="All merchant accounts.">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SearchField
          label="Name, ID or email"
          value={search}
          queryOf={(text) => ({ search: text || undefined })}
        />
        <Filters filters={filters} />
      </div>
      <Panel flush>
        <Table
          label="Accounts"
          rows={data?.data ?? []}
          keyOf={({ id }) => id}
          to={({ id }) => `/operator/accounts/${id}`}
          pending={isPending}
          problem={error}
          columns={[
            {
              title: "Merchant",
              cell: ({ name }) => <span className="wrap-anywhere">{name}</span>,
            },
            { title: "Status", cell: (account) => <Status status={account.status} /> },
            {
              title: "Application",
              from: "md",
              below: "title and cell",
              cell: ({ application_status }) => <Status status={application_status} />,
            },
            { title: "Country", from: "sm", below: "cell", cell: ({ country }) => country },
            {
              title: "Opened",
              align: "end",
              from: "sm",
              cell: ({ created }) => <DateTime at={created} only="day" />,
            },
          ]}
          empty={
            <EmptyState icon={Store} title="No matching accounts">
              Search by part of the name, the full ID, or the email address of a team member.
            </EmptyState>
          }
        />
        <Pagination
          list="Accounts"
          back="First page"
          previous={after ? () => change({ after: undefined }) : null}
          next={data?.has_more ? () => change({ after: last?.id }) : null}
        />
      </Panel>
    </Page>
  );
}
