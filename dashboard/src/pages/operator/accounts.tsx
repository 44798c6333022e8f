import type { AccountPage } from "@florin/contract/operator.ts";
import { Store } from "lucide-react";
import type { FormEvent } from "react";
import { useAdminQuery } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Pagination, Table } from "../../components/table.tsx";

const statuses = [
  ["", "Any status"],
  ["test_only", "Test only"],
  ["approved", "Approved"],
  ["suspended", "Suspended"],
  ["closed", "Closed"],
] as const;

/** All merchant accounts. The search is in the URL. */
export function AccountsPage() {
  const [{ search, status, after }, change] = useUrlQuery();
  const { data, isPending, error } = useAdminQuery<AccountPage>("/accounts", {
    search,
    status,
    starting_after: after,
  });
  const last = data?.data.at(-1);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change({
      search: String(form.get("search")).trim(),
      status: String(form.get("status")),
      after: undefined,
    });
  };
  return (
    <Page title="Accounts" lead="All merchant accounts.">
      <search>
        <form
          onSubmit={find}
          className="grid items-end gap-3 sm:grid-cols-[minmax(0,20rem)_12rem_auto]"
        >
          <TextField name="search" label="Name, ID or email" type="search" defaultValue={search} />
          <SelectField name="status" label="Status" choices={statuses} defaultValue={status} />
          <span>
            <Button type="submit">Search</Button>
          </span>
        </form>
      </search>
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
