import type { CreateRule, Rule } from "@florin/contract/rule.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField, Field, fieldStyle, SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import type { SelectOption } from "../../components/select-option.ts";
import { showToast } from "../../components/toast.tsx";
import { signalGroups } from "./signals.ts";
import { Trial } from "./trial.tsx";

const outcomes: readonly SelectOption[] = [
  ["review", "Review: hold for manual review"],
  ["challenge", "Challenge: require 3-D Secure"],
  ["decline", "Decline: do not charge"],
  ["approve", "Approve: ignore other rules"],
];

/** Edits a rule in the Common Expression Language. Tests the rule on past payments before the rule takes effect. */
export function RuleDialog({ rule, onClose }: { rule: Rule | null; onClose: () => void }) {
  const [expression, setExpression] = useState(rule?.expression ?? "");
  const keep = useOperation<CreateRule, Rule>(
    (api, params, key) => api.post(rule ? `/rules/${rule.id}` : "/rules", params, key),
    {
      done: ({ status }) => {
        showToast(status === "enabled" ? "Rule saved and enabled." : "Rule saved and disabled.");
        onClose();
      },
    },
  );
  const send = (form: FormData) => {
    const description = textOf(form, "description");
    void keep.run({
      expression: expression.trim(),
      outcome: form.get("outcome") as Rule["outcome"],
      status: form.get("enabled") ? "enabled" : "disabled",
      ...(description && { description }),
    });
  };
  return (
    <Dialog
      open
      wide
      title={rule ? "Edit rule" : "Create rule"}
      lead="A condition, and the action for payments that match it."
      onClose={onClose}
    >
      <Form
        submit="Save"
        busy={keep.pending}
        problem={keep.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <Field
          name="expression"
          label="Condition"
          hint={<Words onPick={(name) => setExpression(append(expression, name))} />}
        >
          {(ariaProps) => (
            <textarea
              {...ariaProps}
              rows={3}
              spellCheck={false}
              value={expression}
              placeholder="amount > 50000 && card_country != billing_country"
              onChange={(event) => setExpression(event.currentTarget.value)}
              className={`${fieldStyle} py-2 font-mono text-sm`}
            />
          )}
        </Field>
        <Trial expression={expression} />
        <div className="fields-abreast">
          <SelectField
            name="outcome"
            label="Action"
            choices={outcomes}
            defaultValue={rule?.outcome ?? "review"}
          />
          <TextField
            name="description"
            label="Description (optional)"
            defaultValue={rule?.description ?? ""}
            autoComplete="off"
          />
        </div>
        <CheckField
          name="enabled"
          label="Enabled"
          hint="Disabled rules are not evaluated."
          defaultChecked={rule?.status !== "disabled"}
        />
      </Form>
    </Dialog>
  );
}

function append(expression: string, name: string): string {
  return expression === "" || expression.endsWith(" ")
    ? `${expression}${name} `
    : `${expression} ${name} `;
}

function Words({ onPick }: { onPick: (name: string) => void }) {
  return (
    <details>
      <summary className="cursor-pointer">Available signals</summary>
      <div className="mt-2 grid gap-4 sm:grid-cols-2">
        {signalGroups.map(({ label, signals }) => (
          <div key={label} className="grid content-start gap-1">
            <p className="font-medium text-ink">{label}</p>
            {signals.map(([name, words]) => (
              <p key={name}>
                <button
                  type="button"
                  className="link font-mono text-xs"
                  onClick={() => onPick(name)}
                >
                  {name}
                </button>{" "}
                {words}
              </p>
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}
