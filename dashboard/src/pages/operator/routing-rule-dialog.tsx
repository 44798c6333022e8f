import type { RoutingRule } from "@florin/contract/operator-routing.ts";
import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { Field, fieldStyle, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import type { Target } from "./use-routing-targets.ts";

const fields = ["amount", "currency", "card_network", "card_country", "card_funding", "metadata"];

/** Edits a rule of the draft. The service checks the condition when the rules are simulated or saved. */
export function RoutingRuleDialog({
  rule,
  targets,
  onSave,
  onClose,
}: {
  rule: RoutingRule | null;
  targets: readonly Target[];
  onSave: (rule: RoutingRule) => void;
  onClose: () => void;
}) {
  const [fault, setFault] = useState<string | null>(null);
  const weightOf = (assignment: string) =>
    rule?.targets.find((target) => target.assignment === assignment)?.weight;
  const submit = (form: FormData) => {
    const name = textOf(form, "name");
    const weighted = targets.flatMap(({ assignment }) => {
      const weight = textOf(form, assignment) ?? "0";
      return weight === "0" ? [] : { assignment, weight: Number(weight) };
    });
    const problem = name === undefined ? "Enter a name." : faultOfTargets(weighted);
    setFault(problem);
    if (problem !== null || name === undefined) return;
    onSave({ name, condition: textOf(form, "condition") ?? null, targets: weighted });
  };
  return (
    <Dialog
      open
      title={rule ? "Edit rule" : "Add rule"}
      lead="Payments that meet the condition are sent over the connections below."
      onClose={onClose}
    >
      <Form
        submit="Apply to draft"
        busy={false}
        problem={null}
        fault={fault}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          hint="The merchant sees the name on the page of a payment."
          defaultValue={rule?.name}
          maxLength={100}
        />
        <Field
          name="condition"
          label="Condition (optional)"
          hint={`Leave empty for all payments. Fields: ${fields.join(", ")}.`}
        >
          {(ariaProps) => (
            <textarea
              {...ariaProps}
              rows={3}
              spellCheck={false}
              maxLength={1000}
              defaultValue={rule?.condition ?? ""}
              placeholder="currency == 'gbp' && metadata['plan'] == 'gold'"
              className={`${fieldStyle} py-2 font-mono text-sm`}
            />
          )}
        </Field>
        <fieldset className="grid gap-4">
          <legend className="mb-3 text-sm font-medium">Weights of the connections</legend>
          {targets.map(({ assignment, label, state }) => (
            <TextField
              key={assignment}
              name={assignment}
              label={label}
              remark={state === "active" ? undefined : `The connection is ${state}`}
              inputMode="numeric"
              defaultValue={weightOf(assignment) ?? (targets.length === 1 ? 1 : undefined)}
              placeholder="0"
            />
          ))}
          <p className="text-sm text-ink-soft">
            Payments are divided in proportion to the weights. Leave a connection empty to exclude
            it from the rule.
          </p>
        </fieldset>
      </Form>
    </Dialog>
  );
}

/** Returns the problem with the weights that a person typed, or null. */
function faultOfTargets(targets: RoutingRule["targets"]): string | null {
  if (targets.length === 0) return "Enter a weight for at least one connection.";
  const isValid = targets.every(
    ({ weight }) => Number.isInteger(weight) && weight >= 1 && weight <= 1000,
  );
  return isValid ? null : "A weight must be a whole number from 1 to 1000.";
}
