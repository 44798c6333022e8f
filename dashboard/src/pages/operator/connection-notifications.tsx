import type { AcquirerNotification, Connection } from "@florin/contract/operator-connections.ts";
import { useParams } from "@tanstack/react-router";
import { BellRing } from "lucide-react";
import { useState } from "react";
import { useAdminList, useAdminQuery } from "../../api/admin.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { inWords } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Id } from "../../components/id.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { ListTable } from "../../components/table.tsx";
import { NotificationDialog, NotificationStatus } from "./notification-dialog.tsx";

const states = [
  "review",
  "unmatched",
  "pending",
  "applied",
  "ignored",
  "dismissed",
] as const satisfies readonly AcquirerNotification["state"][];

const filters = [
  choiceFilter(
    "state",
    "State",
    states.map((state) => [state, state === "review" ? "In review" : inWords(state)]),
    { single: true },
  ),
];

/** The notifications that the acquirer sent for a connection, and the decisions that they need from an operator. */
export function ConnectionNotificationsPage() {
  const { connection: id } = useParams({ strict: false }) as { connection: string };
  const { data: connection } = useAdminQuery<Connection>(`/connections/${id}`);
  const [values] = useUrlQuery();
  const path = `/connections/${id}/notifications`;
  const list = useAdminList<AcquirerNotification>(path, queryOf(filters, values));
  const [opened, setOpened] = useState<string | null>(null);
  // Reads the opened notification from the list, so that the dialog shows its current state.
  const shown = list.rows.find((notification) => notification.id === opened);
  return (
    <Page
      title="Notifications"
      lead="Events that the acquirer reported. Those in the states “In review” and “Unmatched” were not applied to a payment."
      back={{
        to: `/operator/connections/${id}`,
        label: connection?.name ?? "Connection",
      }}
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Notifications"
          list={list}
          columns={[
            {
              title: "Event",
              cell: ({ event_code, fields, problem }) => (
                <>
                  <span className="font-medium wrap-anywhere">{event_code}</span>
                  {fields.success === "false" && <span className="text-ink-soft"> (failed)</span>}
                  {problem && <span className="block text-sm text-ink-soft">{problem}</span>}
                </>
              ),
            },
            { title: "State", cell: (one) => <NotificationStatus notification={one} /> },
            {
              title: "Reference",
              from: "md",
              cell: ({ reference }) =>
                reference === null ? <NoValue /> : <Id id={reference} brief />,
            },
            {
              title: "Account",
              from: "lg",
              cell: ({ account }) =>
                account === null ? (
                  <NoValue />
                ) : (
                  <Id id={account} brief to={`/operator/accounts/${account}`} />
                ),
            },
            { title: "Received", from: "sm", cell: ({ created }) => <Ago at={created} /> },
            {
              title: "",
              align: "end",
              cell: ({ id: notification, event_code }) => (
                <Button
                  small
                  aria-label={`Show ${event_code} ${notification}`}
                  onClick={() => setOpened(notification)}
                >
                  Show
                </Button>
              ),
            },
          ]}
          empty={
            <EmptyState icon={BellRing} title="No notifications">
              {values.state === undefined
                ? "The acquirer has not sent any notification to this connection."
                : "No notification has this state."}
            </EmptyState>
          }
        />
      </Panel>
      {shown && (
        <NotificationDialog notification={shown} path={path} onClose={() => setOpened(null)} />
      )}
    </Page>
  );
}
