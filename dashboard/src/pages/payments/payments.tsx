import type { Charge, ChargeStatus } from "@florin/contract/charge.ts";
import { CreditCard } from "lucide-react";
import { useAddressQuery } from "../../api/use-address-query.ts";
import { useList } from "../../api/use-list.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Empty } from "../../components/empty.tsx";
import { type Filter, Filters } from "../../components/filters.tsx";
import { Money } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";

const statuses: readonly ChargeStatus[] = [
  "succeeded",
  "authorized",
  "processing",
  "requires_action",
  "failed",
  "canceled",
];

const filters: readonly Filter[] = [
  {
    kind: "choice",
    name: "status",
    label: "Status",
    choices: statuses.map((status) => [status, inWords(status)]),
  },
];

const columns: readonly Column<Charge>[] = [
  { title: "Amount", cell: ({ amount, currency }) => <Money {...{ amount, currency }} named /> },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  { title: "Created", align: "end", cell: ({ created }) => <DateTime at={created} /> },
];

export function PaymentsPage() {
  const [{ status }] = useAddressQuery();
  const list = useList<Charge>("/charges", { status });
  return (
    <Page title="Payments">
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Payments"
          list={list}
          columns={columns}
          to={({ id }) => `/payments/${id}`}
          empty={
            <Empty icon={CreditCard} title="No payments">
              Nothing fits.
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
