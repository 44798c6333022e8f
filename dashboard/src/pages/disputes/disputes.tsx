import type { Dispute } from "@florin/contract/dispute.ts";
import { Scale, SearchX } from "lucide-react";
import { useAddressQuery } from "../../api/use-address-query.ts";
import { useList } from "../../api/use-list.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { inWords, Status } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Empty } from "../../components/empty.tsx";
import { choiceFilter, queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { Deadline } from "./deadline.tsx";

const filters = [
  choiceFilter(
    "status",
    "Status",
    ["needs_response", "under_review", "won", "lost"].map((status) => [status, inWords(status)]),
    { single: true },
  ),
];

const columns: readonly Column<Dispute>[] = [
  amountColumn,
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "The cardholder says",
    from: "md",
    cell: ({ reason, is_inquiry }) => (
      <span className="text-ink-soft">
        {inWords(reason)}
        {is_inquiry && " (the bank only asks)"}
      </span>
    ),
  },
  { title: "Answer by", cell: (dispute) => <Deadline dispute={dispute} /> },
  {
    title: "Opened",
    from: "lg",
    align: "end",
    cell: ({ created }) => <DayAndTime at={created} />,
  },
];

export function DisputesPage() {
  const [values] = useAddressQuery();
  const query = queryOf(filters, values);
  const list = useList<Dispute>("/disputes", query);
  return (
    <Page
      title="Disputes"
      lead="Cardholders who object to a payment. The card network decides; until the deadline you can answer with evidence."
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Disputes"
          list={list}
          columns={columns}
          to={({ id }) => `/disputes/${id}`}
          empty={
            query.status ? (
              <Empty icon={SearchX} title="No dispute fits">
                Take the filter away to see all of them.
              </Empty>
            ) : (
              <Empty icon={Scale} title="No disputes">
                When a cardholder objects to a payment, it stands here with the day by which you can
                answer. In test mode, pay with 4000 0000 0000 0259 to see one.
              </Empty>
            )
          }
        />
      </Panel>
    </Page>
  );
}
