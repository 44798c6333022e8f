import type { ApiKey } from "@florin/contract/api-key.ts";
import { KeyRound, SearchX } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { AllowedOrigins } from "./allowed-origins.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { KeyMenu } from "./key-menu.tsx";
import { KeyPermissions } from "./key-permissions.tsx";
import { RevealDialog } from "./reveal-dialog.tsx";

const filters = [
  choiceFilter(
    "status",
    "Status",
    [
      ["active", "Active"],
      ["expired", "Expired"],
      ["revoked", "Revoked"],
    ],
    { single: true },
  ),
];

/** The API keys of the account, with their permissions and last use. */
export function ApiKeysPage() {
  const { scope } = useApi();
  const may = useMay();
  const [dialog, setDialog] = useUrlDialog(["create"], () => may("keys:write"));
  const [values] = useUrlQuery();
  const [secret, setSecret] = useState<string | null>(null);
  const list = useList<ApiKey>("/api_keys", queryOf(filters, values));
  const unavailable = may("keys:write")
    ? null
    : "Your role does not have permission to create API keys.";
  const live = scope.mode === "live";
  const create = (
    <Button weight="primary" unavailable={unavailable} onClick={() => setDialog("create")}>
      Create key
    </Button>
  );

  const columns: readonly Column<ApiKey>[] = [
    {
      title: "Name",
      cell: ({ name, beginning, last4 }) => (
        <span className="grid">
          <GivenText text={name} className="font-medium wrap-anywhere" />
          <code className="font-mono text-xs text-ink-soft">
            {beginning}…{last4}
          </code>
        </span>
      ),
    },
    {
      title: "Permissions",
      from: "md",
      below: "cell",
      cell: (key) => <KeyPermissions apiKey={key} />,
    },
    { title: "Status", cell: (key) => <KeyStatus apiKey={key} /> },
    {
      title: "Last used",
      from: "sm",
      below: "title and cell",
      cell: ({ last_used_at }) =>
        last_used_at ? <Ago at={last_used_at} /> : <span className="text-ink-soft">Never</span>,
    },
    {
      title: "Created",
      from: "lg",
      cell: ({ created }) => <DateTime at={created} only="day" />,
    },
    {
      title: "",
      align: "end",
      cell: (key) => <KeyMenu apiKey={key} onSecret={setSecret} />,
    },
  ];

  return (
    <Page
      title="API keys"
      lead={
        live
          ? "Live keys move real money. Keep each key on your servers only."
          : "Test keys work only in test mode and move no money."
      }
      actions={create}
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="API keys"
          list={list}
          columns={columns}
          empty={
            values.status ? (
              <EmptyState icon={SearchX} title="No matching keys">
                No keys in this mode have the selected status.
              </EmptyState>
            ) : (
              <EmptyState icon={KeyRound} title="No API keys yet" action={create}>
                Your server authenticates with an API key. Create one for each server, so that you
                can revoke one without affecting the others.
              </EmptyState>
            )
          }
        />
      </Panel>
      <AllowedOrigins />
      <CreateKeyDialog
        open={dialog === "create"}
        onClose={() => setDialog(null)}
        onCreated={(made) => {
          setDialog(null);
          setSecret(made);
        }}
      />
      <RevealDialog secret={secret} onClose={() => setSecret(null)} />
    </Page>
  );
}

function KeyStatus({ apiKey: { status, expires_at } }: { apiKey: ApiKey }) {
  if (status === "active" && expires_at) {
    return (
      <span className="grid justify-items-start gap-0.5">
        <Status status={status} tone="warning" />
        <span className="text-xs text-ink-soft">
          Expires <DateTime at={expires_at} />
        </span>
      </span>
    );
  }
  return <Status status={status} />;
}
