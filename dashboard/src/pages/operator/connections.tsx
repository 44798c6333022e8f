import type { Connection, Connections } from "@florin/contract/operator-connections.ts";
import { Cable } from "lucide-react";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField, TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { acquirerTexts } from "./acquirer-texts.ts";
import { serviceLogHint } from "./reason-dialog.tsx";

/** All connections to live acquirers. */
export function ConnectionsPage() {
  const { data, isPending, error } = useAdminQuery<Connections>("/connections");
  const [creating, setCreating] = useState(false);
  const create = (
    <Button weight="primary" onClick={() => setCreating(true)}>
      Create connection
    </Button>
  );
  return (
    <Page
      title="Connections"
      lead="Your accounts at acquirers, through which live charges are sent."
      actions={create}
    >
      <Panel flush>
        <Table
          label="Connections"
          rows={data?.data ?? []}
          keyOf={({ id }) => id}
          to={({ id }) => `/operator/connections/${id}`}
          pending={isPending}
          problem={error}
          columns={[
            { title: "Name", cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
            {
              title: "Acquirer",
              from: "md",
              cell: ({ processor }) => acquirerTexts[processor].title,
            },
            { title: "State", cell: ({ state }) => <Status status={state} /> },
            {
              title: "Environment",
              from: "sm",
              below: "cell",
              cell: (one) => <Environment connection={one} />,
            },
            {
              title: "Merchant account",
              from: "lg",
              cell: ({ settings }) => settings.merchant_account,
            },
            {
              title: "Created",
              align: "end",
              from: "md",
              cell: ({ created }) => <DateTime at={created} only="day" />,
            },
          ]}
          empty={
            <EmptyState icon={Cable} title="No connections">
              A connection holds the credentials of your account at an acquirer. Create one, test
              it, and assign merchants’ accounts to it.
            </EmptyState>
          }
        />
      </Panel>
      {creating && (
        <CreateConnection
          environment={data?.environment ?? "live"}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}

/** The environment of a connection. */
export function Environment({ connection }: { connection: Connection }) {
  const { environment } = connection;
  return (
    <Badge tone={environment === "sandbox" ? "warning" : "neutral"}>{inWords(environment)}</Badge>
  );
}

const acquirerChoices = Object.entries(acquirerTexts).map(
  ([processor, { title }]) => [processor, title] as const,
);

const environments = [
  ["live", "Live"],
  ["sandbox", "Sandbox"],
] as const;

function CreateConnection({
  environment,
  onClose,
}: {
  environment: Connections["environment"];
  onClose: () => void;
}) {
  const [processor, setProcessor] = useState<Connection["processor"]>("adyen");
  const texts = acquirerTexts[processor];
  const [chosen, setChosen] = useState<string>(environment);
  const operation = useAdminOperation<object>("/connections", {
    done() {
      showToast("Connection created.");
      onClose();
    },
  });
  const submit = (form: FormData) =>
    void operation.run({
      processor,
      name: textOf(form, "name"),
      environment: chosen,
      settings: {
        merchant_account: textOf(form, "settings.merchant_account"),
        live_prefix: textOf(form, "settings.live_prefix"),
      },
      ...(texts.publicKey !== null && { public_key: textOf(form, "public_key") ?? null }),
      reason: textOf(form, "reason"),
    });
  return (
    <Dialog
      open
      title="Create connection"
      lead={`Connects your account at ${texts.title}. No charge is sent before you activate the connection.`}
      onClose={onClose}
    >
      <Form
        submit="Create"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={submit}
        onCancel={onClose}
      >
        <SelectField
          name="processor"
          label="Acquirer"
          choices={acquirerChoices}
          value={processor}
          onChange={({ currentTarget }) =>
            setProcessor(currentTarget.value as Connection["processor"])
          }
        />
        <TextField
          name="name"
          label="Name"
          hint={`Shown to operators only. For example, ${texts.exampleName}.`}
        />
        <SelectField
          name="environment"
          label="Environment"
          choices={environments}
          value={chosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        />
        <TextField
          name="settings.merchant_account"
          label="Merchant account"
          hint={texts.merchantAccountHint}
          autoComplete="off"
        />
        {texts.prefix !== null && (chosen === "live" || texts.prefix.inSandbox) && (
          <TextField
            name="settings.live_prefix"
            label={texts.prefix.label}
            hint={texts.prefix.hint}
            autoComplete="off"
          />
        )}
        {texts.publicKey !== null && (
          <TextField
            name="public_key"
            label={`${texts.publicKey.label} (optional)`}
            hint={texts.publicKey.hint}
            autoComplete="off"
          />
        )}
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}
