import type { Dispute, SubmitEvidence } from "@florin/contract/dispute.ts";
import { useAct } from "../api/use-act.ts";
import { inWords } from "../components/badge.tsx";
import { TextArea, TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { say } from "../components/toast.tsx";
import { evidenceFor, evidenceLabels, isLong } from "../pages/disputes/evidence.ts";

/** An answer to a dispute: what convinces most comes first. It is sent once. */
export function EvidenceForm({ dispute }: { dispute: Dispute }) {
  const { first, rest } = evidenceFor(dispute.reason);
  const submit = useAct<SubmitEvidence, Dispute>(
    (api, evidence, key) => api.post(`/disputes/${dispute.id}/evidence`, evidence, key),
    { done: () => say("Your answer is with the card network.") },
  );
  const send = (form: FormData) => {
    const said = [...first, ...rest].map((name) => [name, textOf(form, name)] as const);
    void submit.run(Object.fromEntries(said.filter(([, words]) => words !== undefined)));
  };
  return (
    <Form submit="Hand it in" busy={submit.pending} problem={submit.problem} onSubmit={send}>
      <p className="text-ink-soft">
        The cardholder says: {inWords(dispute.reason).toLowerCase()}. Say what shows otherwise, in
        words the bank can check. It can be handed in once.
      </p>
      {first.map((name) => (
        <EvidenceField key={name} name={name} />
      ))}
      <details>
        <summary className="w-max text-ink-soft hover:text-ink">More that can be said</summary>
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
  return isLong(name) ? (
    <TextArea name={name} label={label} maxLength={20_000} />
  ) : (
    <TextField name={name} label={label} autoComplete="off" />
  );
}
