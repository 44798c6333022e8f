import type { FactorAddedObject, PasskeyObject } from "@florin/contract/person.ts";
import { useState } from "react";
import { auth } from "../../api/auth.ts";
import { createPasskey, passkeysUnavailableReason } from "../../api/passkeys.ts";
import { useAuthOperation, useSignedInObject } from "../../api/use-auth.ts";
import { Button } from "../../components/button.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function PasskeysPanel() {
  const passkeys = useSignedInObject<{ data: readonly PasskeyObject[] }>("/passkeys");
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const remove = useAuthOperation(
    (id: string) => auth.delete(`/passkeys/${id}`),
    () => showToast("Passkey removed."),
  );
  return (
    <Panel
      title="Passkeys"
      flush
      actions={
        <Button small unavailable={passkeysUnavailableReason()} onClick={() => setAdding(true)}>
          Add passkey
        </Button>
      }
    >
      {remove.problem && (
        <div className="p-4">
          <Problem problem={remove.problem} />
        </div>
      )}
      <Table
        label="Your passkeys"
        rows={passkeys.data?.data ?? []}
        pending={passkeys.isPending}
        problem={passkeys.error}
        keyOf={({ id }) => id}
        columns={[
          { title: "Name", cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
          {
            title: "Added",
            from: "sm",
            below: "title and cell",
            cell: ({ created }) => <DateTime at={created} only="day" />,
          },
          {
            title: "Last used",
            from: "sm",
            below: "title and cell",
            cell: ({ last_used }) => (last_used ? <Ago at={last_used} /> : "Never"),
          },
          {
            title: "",
            align: "end",
            cell: ({ id, name }) => (
              <Button
                small
                weight="quiet"
                busy={remove.pending}
                aria-label={`Remove ${name}`}
                onClick={() => void remove.run(id)}
              >
                Remove
              </Button>
            ),
          },
        ]}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            A passkey signs you in with the fingerprint, face or PIN of your device. Passkeys need
            no password and resist phishing.
          </p>
        }
      />
      <AddPasskey
        open={adding}
        onClose={() => setAdding(false)}
        onAdded={(added) => {
          setAdding(false);
          setCodes(added.recovery_codes);
          showToast("Passkey added.");
        }}
      />
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Panel>
  );
}

function AddPasskey({
  open,
  onClose,
  onAdded,
}: {
  open: boolean;
  onClose: () => void;
  onAdded: (added: FactorAddedObject) => void;
}) {
  const add = useAuthOperation(async (name: string) => {
    const credential = await createPasskey(await auth.post("/passkeys/register_options"));
    return auth.post<FactorAddedObject>("/passkeys", { name, credential });
  }, onAdded);
  return (
    <Dialog
      open={open}
      title="Add passkey"
      lead="Next, your browser asks where to save the passkey."
      onClose={onClose}
    >
      <Form
        submit="Continue"
        busy={add.pending}
        problem={add.problem}
        onCancel={onClose}
        onSubmit={(form) => void add.run(textOf(form, "name") ?? "")}
      >
        <TextField
          name="name"
          label="Name"
          hint="A name that helps you recognize this passkey, such as “My phone”."
          defaultValue="My device"
          maxLength={100}
        />
      </Form>
    </Dialog>
  );
}
