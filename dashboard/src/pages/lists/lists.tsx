import type { ListEntry } from "@florin/contract/list-entry.ts";
import { SearchX, ShieldBan } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useOperation } from "../../api/use-operation.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { ButtonLink } from "../../components/link.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { attributes, ListEntryDialog } from "./list-entry-dialog.tsx";

const filters = [
  choiceFilter(
    "list",
    "List",
    [
      ["block", "Block"],
      ["allow", "Allow"],
    ],
    { single: true },
  ),
  choiceFilter(
    "attribute",
    "Attribute",
    Object.entries(attributes).map(([name, [label]]) => [name, label]),
    { single: true },
  ),
  textFilter("value", "Value", "The exact value, such as eve@example.com."),
];

/** The allow list and the block list. */
export function ListsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<ListEntry>("/list_entries", query);
  const [removing, setRemoving] = useState<ListEntry | null>(null);
  const may = useMay()("decisions:write");
  const [dialog, setDialog] = useUrlDialog(["create"], () => may);
  const add = may && (
    <Button weight="primary" onClick={() => setDialog("create")}>
      Add entry
    </Button>
  );
  const columns: readonly Column<ListEntry>[] = [
    {
      title: "Value",
      cell: ({ value, description }) => (
        <span className="grid gap-0.5">
          <GivenText text={value} className="font-medium wrap-anywhere" />
          {description && (
            <GivenText text={description} className="text-sm wrap-anywhere text-ink-soft" />
          )}
        </span>
      ),
    },
    {
      title: "List",
      cell: ({ list: name }) => (
        <Badge tone={name === "block" ? "negative" : "positive"}>
          {name === "block" ? "Block" : "Allow"}
        </Badge>
      ),
    },
    {
      title: "Attribute",
      from: "sm",
      below: "cell",
      cell: ({ attribute }) => <span className="text-ink-soft">{attributes[attribute][0]}</span>,
    },
    {
      title: "Expires",
      from: "md",
      below: ({ expires_at }) =>
        expires_at && (
          <>
            Expires <DateTime at={expires_at} only="day" />
          </>
        ),
      cell: ({ expires_at }) =>
        expires_at === null ? (
          <span className="text-ink-faint">Never</span>
        ) : (
          <DateTime at={expires_at} only="day" />
        ),
    },
    ...(may
      ? [
          {
            title: "",
            align: "end" as const,
            cell: (entry: ListEntry) => (
              <Button small weight="quiet" onClick={() => setRemoving(entry)}>
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Page
      title="Lists"
      lead="Payments that match a value on a list are always approved or always declined. Lists take precedence over rules."
      actions={
        <>
          <ButtonLink to="/rules">Rules</ButtonLink>
          {add}
        </>
      }
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="List entries"
          list={list}
          columns={columns}
          empty={
            Object.keys(query).length > 0 ? (
              <EmptyState icon={SearchX} title="No matching entries">
                Remove a filter to see more.
              </EmptyState>
            ) : (
              <EmptyState icon={ShieldBan} title="No list entries yet" action={add}>
                Add an email address, a card or a country to the block list to decline its payments,
                or to the allow list to approve them regardless of rules.
              </EmptyState>
            )
          }
        />
      </Panel>
      {dialog === "create" && (
        <ListEntryDialog
          list={values.list === "allow" ? "allow" : "block"}
          onClose={() => setDialog(null)}
        />
      )}
      {removing && <RemoveEntry entry={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function RemoveEntry({ entry, onClose }: { entry: ListEntry; onClose: () => void }) {
  const operation = useOperation<void, unknown>((api) => api.delete(`/list_entries/${entry.id}`), {
    done: () => {
      showToast(`${isolateBidi(entry.value)} removed from the ${entry.list} list.`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      title={`Remove ${isolateBidi(entry.value)}`}
      lead="New payments are no longer matched against this entry."
      submit="Remove"
      operation={operation}
      onClose={onClose}
    />
  );
}
