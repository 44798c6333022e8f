import type { Customer } from "@florin/contract/customer.ts";
import { SearchX, Users } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/me.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { briefId } from "../../components/id.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";

const filters = [textFilter("email", "Email", "The full email address.")];

const columns: readonly Column<Customer>[] = [
  {
    title: "Customer",
    cell: (customer) => <span className="font-medium wrap-anywhere">{nameOf(customer)}</span>,
  },
  {
    title: "Email",
    from: "sm",
    cell: ({ email }) => <span className="text-ink-soft wrap-anywhere">{email ?? "—"}</span>,
  },
  { title: "Created", align: "end", cell: ({ created }) => <DateTime at={created} only="day" /> },
];

export function nameOf({ name, email, id }: Customer): string {
  return name ?? email ?? briefId(id);
}

export function CustomersPage() {
  const [values] = useUrlQuery();
  const [creating, setCreating] = useState(false);
  const query = queryOf(filters, values);
  const list = useList<Customer>("/customers", query);
  const may = useMay();
  const create = may("customers:write") && (
    <Button weight="primary" onClick={() => setCreating(true)}>
      Create customer
    </Button>
  );
  return (
    <Page title="Customers" lead="Customers with their saved cards and payments." actions={create}>
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Customers"
          list={list}
          columns={columns}
          to={({ id }) => `/customers/${id}`}
          empty={
            query.email ? (
              <EmptyState icon={SearchX} title="No matching customer">
                Enter the full email address. The search is not case-sensitive.
              </EmptyState>
            ) : (
              <EmptyState icon={Users} title="No customers yet" action={create}>
                Create a customer here or with{" "}
                <code className="font-mono text-sm">POST /customers</code>. You can charge a
                customer's saved cards later.
              </EmptyState>
            )
          }
        />
      </Panel>
      <CustomerDialog customer={null} open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}
