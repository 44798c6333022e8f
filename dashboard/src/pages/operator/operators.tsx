import type { OperatorInConsole } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useAdminOperation, useAdminQuery } from "../../api/admin.ts";
import { useMe } from "../../api/signed-in-person.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { showDoneToast } from "./done-toast.ts";
import { PersonCell } from "./person-cell.tsx";
import { ReasonDialog, serviceLogHint } from "./reason-dialog.tsx";
import { ResetFactorDialog } from "./reset-factor-dialog.tsx";

const removal = {
  button: "Remove operator",
  title: "Remove operator",
  lead: "Removes access to the admin console. Memberships in merchant teams do not change.",
  done: "Operator removed.",
  weight: "danger",
  hint: serviceLogHint,
} as const;

/** The operators of this installation. */
export function OperatorsPage() {
  const me = useMe();
  const { data, isPending, error } = useAdminQuery<{ data: OperatorInConsole[] }>("/operators");
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const [resetting, setResetting] = useState<string | null>(null);
  const operators = data?.data ?? [];
  return (
    <Page
      title="Operators"
      lead="People who review merchants and monitor this service."
      actions={
        <Button weight="primary" onClick={() => setAdding(true)}>
          Add operator
        </Button>
      }
    >
      <Panel flush>
        <Table
          label="Operators"
          rows={operators}
          keyOf={({ id }) => id}
          pending={isPending}
          problem={error}
          columns={[
            {
              title: "Person",
              cell: ({ id, name, email }) => (
                <PersonCell name={name} email={email}>
                  {id === me.id && <Badge>You</Badge>}
                </PersonCell>
              ),
            },
            {
              title: "Two-step verification",
              from: "sm",
              below: "title and cell",
              cell: ({ second_factor }) => (
                <Badge tone={second_factor ? "positive" : "warning"}>
                  {second_factor ? "Yes" : "Not set up: no access"}
                </Badge>
              ),
            },
            {
              title: "",
              align: "end",
              cell: ({ id, name, second_factor }) => (
                <span className="inline-flex flex-wrap justify-end gap-2">
                  <Button
                    small
                    aria-label={`Reset two-step verification for ${name}`}
                    unavailable={
                      id === me.id
                        ? "Change your own two-step verification in your security settings."
                        : second_factor
                          ? null
                          : "This person has not set up two-step verification."
                    }
                    onClick={() => setResetting(id)}
                  >
                    Reset two-step
                  </Button>
                  <Button
                    small
                    aria-label={`Remove ${name}`}
                    unavailable={
                      operators.length === 1 ? "You cannot remove the only operator." : null
                    }
                    onClick={() => setRemoving(id)}
                  >
                    Remove
                  </Button>
                </span>
              ),
            },
          ]}
          empty={null}
        />
      </Panel>
      {adding && <AddOperator onClose={() => setAdding(false)} />}
      {resetting && (
        <ResetFactorDialog
          of={`/operators/${resetting}`}
          hint={serviceLogHint}
          onClose={() => setResetting(null)}
        />
      )}
      {removing && (
        <ReasonDialog
          path={`/operators/${removing}/remove`}
          words={removal}
          onClose={() => setRemoving(null)}
        />
      )}
    </Page>
  );
}

function AddOperator({ onClose }: { onClose: () => void }) {
  const operation = useAdminOperation<object>("/operators", {
    done(response) {
      showDoneToast(response, "Operator added.");
      onClose();
    },
  });
  return (
    <Dialog
      open
      title="Add operator"
      lead="Enter the email address of a person who has signed up. They need two-step verification to open the admin console."
      onClose={onClose}
    >
      <Form
        submit="Add"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={(form) =>
          void operation.run({ email: textOf(form, "email"), reason: textOf(form, "reason") })
        }
        onCancel={onClose}
      >
        <TextField name="email" label="Email address" type="email" />
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}
