import type { Customer } from "@florin/contract/customer.ts";
import { SearchX, Users } from "lucide-react";
import { useMay } from "../../api/me.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";
import { nameOf } from "./customer-name.ts";

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

export function CustomersPage() {
  const [values] = useUrlQuery();
  const query = { search: values.search };
  const list = useList<Customer>("/customers", query);
  const may = useMay();
  const [dialog, setDialog] = useUrlDialog(["create"], () => may("customers:write"));
  const create = may("customers:write") && (
    <Button weight="primary" onClick={() => setDialog("create")}>
      Create customer
    </Button>
  );
  return (
    <Page
      title="Customers"
      lead="Customers with their saved cards and payments."
      actions={
        <>
          <Download path="/customers.csv" query={query} name="customers" />
          {create}
        </>
      }
    >
      <SearchField
        label="Name or email"
        value={values.search}
        queryOf={(search) => ({ search: search || undefined })}
      />
      <Panel flush>
        <ListTable
          label="Customers"
          list={list}
          columns={columns}
          to={({ id }) => `/customers/${id}`}
          empty={
            query.search ? (
              <EmptyState icon={SearchX} title="No matching customer">
                Enter the beginning of words of the name or the email address.
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
      <CustomerDialog customer={null} open={dialog === "create"} onClose={() => setDialog(null)} />
    </Page>
  );
}
