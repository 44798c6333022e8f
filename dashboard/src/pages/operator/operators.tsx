import type { OperatorOnDesk } from "@florin/contract/operator.ts";
import { useState } from "react";
import { useDesk, useDeskAct } from "../../api/desk.ts";
import { useMe } from "../../api/me.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { sayDone } from "./say-done.ts";

const reset = {
  button: "Reset second factor",
  title: "Reset the second factor",
  lead: "Passkeys, authenticator app and recovery codes are taken away, and every session ends. The password stays. Make sure first that it really is this person.",
  done: "The second factor was reset.",
  weight: "danger",
} as const;

const removal = {
  button: "Remove",
  title: "Remove this operator",
  lead: "They cannot open the desk any more. Their place in merchants' teams stays.",
  done: "Removed.",
  weight: "danger",
} as const;

/** The operators of this installation. */
export function OperatorsPage() {
  const me = useMe();
  const { data, isPending, error } = useDesk<{ data: OperatorOnDesk[] }>("/operators");
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const [resetting, setResetting] = useState<string | null>(null);
  const operators = data?.data ?? [];
  return (
    <Page
      title="Operators"
      lead="Who runs this service: they approve merchants and see how it is."
      actions={
        <Button weight="primary" onClick={() => setAdding(true)}>
          Add an operator
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
                <span>
                  {name} {id === me.id && <Badge>You</Badge>}
                  <span className="block text-sm break-all text-ink-soft">{email}</span>
                </span>
              ),
            },
            {
              title: "Second factor",
              from: "sm",
              cell: ({ second_factor }) => (
                <Badge tone={second_factor ? "positive" : "warning"}>
                  {second_factor ? "Yes" : "Not yet: the desk is closed to them"}
                </Badge>
              ),
            },
            {
              title: "Change",
              align: "end",
              cell: ({ id, name, second_factor }) => (
                <span className="inline-flex flex-wrap justify-end gap-2">
                  <Button
                    small
                    aria-label={`Reset the second factor of ${name}`}
                    unavailable={
                      id === me.id
                        ? "Change your own in your security settings."
                        : second_factor
                          ? null
                          : "This person has none."
                    }
                    onClick={() => setResetting(id)}
                  >
                    Reset
                  </Button>
                  <Button
                    small
                    aria-label={`Remove ${name}`}
                    unavailable={
                      operators.length === 1 ? "The only operator cannot be removed." : null
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
        <ReasonDialog
          path={`/operators/${resetting}/reset_second_factor`}
          words={reset}
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
  const act = useDeskAct<object>("/operators", {
    done(response) {
      sayDone(response, "Operator added.");
      onClose();
    },
  });
  return (
    <Dialog
      open
      title="Add an operator"
      lead="Somebody who has signed up here already. They need a second factor to open the desk."
      onClose={onClose}
    >
      <Form
        submit="Add"
        busy={act.pending}
        problem={act.problem}
        onSubmit={(form) =>
          void act.run({ email: textOf(form, "email"), reason: textOf(form, "reason") })
        }
        onCancel={onClose}
      >
        <TextField name="email" label="Email address" type="email" />
        <TextArea name="reason" label="Why" hint="Kept in the service's audit log." />
      </Form>
    </Dialog>
  );
}
