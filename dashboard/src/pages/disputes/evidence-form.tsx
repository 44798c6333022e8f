import type { Dispute, SubmitEvidence } from "@florin/contract/dispute.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { disputeReasonText, evidenceFor, evidenceLabels, isLongText } from "./evidence.ts";

/** The form for the evidence of a dispute, with the most relevant fields first. Evidence can be submitted only once. */
export function EvidenceForm({ dispute }: { dispute: Dispute }) {
  const { first, rest } = evidenceFor(dispute.reason);
  const submit = useOperation<SubmitEvidence, Dispute>(
    (api, evidence, key) => api.post(`/disputes/${dispute.id}/evidence`, evidence, key),
    { done: () => showToast("Evidence submitted to the card network.") },
  );
  const [empty, setEmpty] = useState(false);
  const send = (form: FormData) => {
    const filledFields = [...first, ...rest]
      .map((name) => [name, textOf(form, name)] as const)
      .filter(([, words]) => words !== undefined);
    setEmpty(filledFields.length === 0);
    if (filledFields.length > 0) void submit.run(Object.fromEntries(filledFields));
  };
  return (
    <Form
      submit="Submit evidence"
      busy={submit.pending}
      problem={submit.problem}
      fault={empty ? "Fill in at least one field. You can submit evidence only once." : null}
      onSubmit={send}
    >
      <p className="text-ink-soft">
        {disputeReasonText(dispute.reason, dispute.is_inquiry)} Explain why the payment is valid,
        with facts that the issuer can verify. You can submit evidence only once.
      </p>
      {first.map((name) => (
        <EvidenceField key={name} name={name} />
      ))}
      <details>
        <summary className="w-max text-ink-soft hover:text-ink">More evidence</summary>
        <div className="mt-4 grid gap-5">
          {rest.map((name) => (
            <EvidenceField key={name} name={name} />
          ))}
        </div>
      </details>
    </Form>
  );
}

function EvidenceField({ name }: { name: keyof SubmitEvidence }) {
  const label = evidenceLabels[name];
  return isLongText(name) ? (
    <TextArea name={name} label={label} maxLength={20_000} />
  ) : (
    <TextField name={name} label={label} autoComplete="off" />
  );
}
