import type { Customer } from "@florin/contract/customer.ts";
import type { CustomerMetrics } from "@florin/contract/metrics.ts";
import { SearchX, Users } from "lucide-react";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";
import { nameOf } from "./customer-name.ts";

type Figures = CustomerMetrics["data"][number];

function columnsOf(figures: ReadonlyMap<string, Figures>): readonly Column<Customer>[] {
  return [
    {
      title: "Customer",
      // The minimum width keeps a short name on one line beside a long email address, and a short email address beside a
      // long name.
      cell: (customer) => (
        <GivenText text={nameOf(customer)} className="block min-w-28 font-medium wrap-anywhere" />
      ),
    },
    {
      title: "Email",
      from: "md",
      below: ({ name, email }) => (name ? email : null),
      cell: ({ email }) => (
        <span className="block min-w-40 text-ink-soft wrap-anywhere">{email ?? <NoValue />}</span>
      ),
    },
    { title: "Spend", align: "end", cell: ({ id }) => <Spend figures={figures.get(id)} /> },
    {
      title: "Payments",
      from: "sm",
      align: "end",
      cell: ({ id }) => <Count of={figures.get(id)?.payments} />,
    },
    {
      title: "Cards",
      from: "lg",
      align: "end",
      cell: ({ id }) => <Count of={figures.get(id)?.cards} />,
    },
    {
      title: "Created",
      from: "lg",
      align: "end",
      cell: ({ created }) => <DateTime at={created} only="day" />,
    },
  ];
}

/** Reserves the width of usual amounts, so that the column does not grow when the figures arrive after the rows. */
function Spend({ figures }: { figures: Figures | undefined }) {
  const [first, ...others] = figures?.spend ?? [];
  return (
    <span className="inline-grid min-w-28 whitespace-nowrap">
      {first && <Money {...first} named />}
      {others.length > 0 && (
        <span className="block text-xs text-ink-soft">
          and {others.length} more {others.length === 1 ? "currency" : "currencies"}
        </span>
      )}
      {figures && !first && <NoValue />}
    </span>
  );
}

function Count({ of }: { of: number | null | undefined }) {
  return <span className="tabular-nums">{of ?? ""}</span>;
}

/** Reads the figures of the customers, by ID. */
function useFiguresOf(customers: readonly Customer[]): ReadonlyMap<string, Figures> {
  const may = useMay();
  const ids = customers.map(({ id }) => id).join(",");
  const isRead = ids !== "" && may("payments:read");
  const { data } = useObject<CustomerMetrics>(isRead ? "/metrics/customers" : null, {
    customer_ids: ids,
  });
  return new Map(data?.data.map((figures) => [figures.customer_id, figures]));
}

export function CustomersPage() {
  const [values] = useUrlQuery();
  const query = { search: values.search };
  const list = useList<Customer>("/customers", query);
  const figures = useFiguresOf(list.rows);
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
          columns={columnsOf(figures)}
          to={({ id }) => `/customers/${id}`}
          empty={
            query.search ? (
              <EmptyState icon={SearchX} title="No matching customers">
                Search by the first letters of any word in the name or email address.
              </EmptyState>
            ) : (
              <EmptyState icon={Users} title="No customers yet" action={create}>
                Create a customer here or with{" "}
                <code className="font-mono text-sm">POST /customers</code>. You can charge a
                customer’s saved cards later.
              </EmptyState>
            )
          }
        />
      </Panel>
      <CustomerDialog customer={null} open={dialog === "create"} onClose={() => setDialog(null)} />
    </Page>
  );
}
