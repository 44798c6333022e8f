import type { Charge } from "@florin/contract/charge.ts";
import type { Customer } from "@florin/contract/customer.ts";
import type { CustomerMetrics } from "@florin/contract/metrics.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useScopedPath } from "../../api/use-api.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Money } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { ListTable } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { paymentColumns } from "../payments/payment-columns.tsx";
import { CustomerDialog } from "./customer-dialog.tsx";
import { nameOf } from "./customer-name.ts";
import { SavedCards } from "./saved-cards.tsx";

const back = { to: "/customers", label: "Customers" };

export function CustomerPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: customer, error } = useObject<Customer>(`/customers/${id}`);
  const { data: metrics } = useObject<CustomerMetrics>("/metrics/customers", { customer_ids: id });
  const [figures] = metrics?.data ?? [];
  const charges = useList<Charge>("/charges", { customer_id: id });
  const may = useMay();
  if (!customer) {
    return <PagePlaceholder title="Customer" back={back} problem={error} lines={5} />;
  }
  return (
    <Page
      title={nameOf(customer)}
      back={back}
      lead={<Id id={customer.id} />}
      actions={may("customers:write") && <Actions customer={customer} />}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid min-w-0 gap-6">
          <SavedCards customer={customer} />
          <Panel title="Payments" flush>
            <ListTable
              label="Payments of this customer"
              list={charges}
              columns={paymentColumns}
              to={(charge) => `/payments/${charge.id}`}
              empty={<p className="p-4 text-ink-soft sm:p-5">No payments yet</p>}
            />
          </Panel>
        </div>
        <Panel title="Details">
          <KeyValues
            items={[
              [
                "Spend",
                figures && figures.spend.length > 0 ? (
                  <Spend key="spend" figures={figures} />
                ) : null,
              ],
              ["Payments", figures && String(figures.payments)],
              [
                "Last payment",
                figures?.last_payment && <Ago key="last" at={figures.last_payment} />,
              ],
              ["Name", customer.name],
              ["Email", customer.email],
              ["Created", <DateTime key="at" at={customer.created} />],
              ...Object.entries(customer.metadata),
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

/** The captured amounts by currency, minus refunds and disputed amounts. */
function Spend({ figures: { spend } }: { figures: CustomerMetrics["data"][number] }) {
  return (
    <span className="grid">
      {spend.map(({ currency, amount }) => (
        <Money key={currency} {...{ currency, amount }} named />
      ))}
    </span>
  );
}

function Actions({ customer }: { customer: Customer }) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpen(null);
  const address = useScopedPath();
  const remove = useOperation<void, unknown>((api) => api.delete(`/customers/${customer.id}`), {
    done: () => showToast("Customer deleted."),
    next: address("/customers"),
  });
  return (
    <>
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <Button weight="danger" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      <CustomerDialog customer={customer} open={open === "edit"} onClose={close} />
      <ConfirmDialog
        open={open === "delete"}
        title="Delete customer"
        lead="Erases the name and email address. Saved cards can no longer be charged. Payments are kept."
        submit="Delete"
        operation={remove}
        onClose={close}
      />
    </>
  );
}
