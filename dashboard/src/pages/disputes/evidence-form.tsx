import type { Dispute, DisputeFile, EvidenceDraft } from "@florin/contract/dispute.ts";
import {
  type EvidenceField,
  type EvidenceTexts,
  evidenceLabels,
} from "@florin/contract/evidence-fields.ts";
import { type ReactNode, useRef, useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { showToast } from "../../components/toast.tsx";
import { DisputeFiles } from "./dispute-files.tsx";
import {
  evidenceFields,
  evidenceSections,
  filledFields,
  isOneLine,
  isRecommended,
} from "./evidence.ts";

type Props = {
  readonly dispute: Dispute;
  readonly draft: EvidenceDraft;
  readonly files: readonly DisputeFile[];
  /** Called after the draft was saved, to review what will be sent. */
  readonly onReview: () => void;
  /** Replaces the form with the latest draft. */
  readonly onReload: () => void;
};

/**
 * The form for the evidence of a dispute. Without a draft, the form starts with facts from the service's records.
 * Saving and reviewing both store the draft, so the review shows exactly the evidence that the service will send.
 */
export function EvidenceForm({ dispute, draft, files, onReview, onReload }: Props) {
  // The draft with which the form started, or the draft that it saved last. A refetch must not replace it. Otherwise,
  // saving would overwrite a newer draft of another person.
  const [base, setBase] = useState(draft);
  const goesOn = useRef(false);
  const form = useRef<HTMLDivElement>(null);
  const [isEmpty, setIsEmpty] = useState(false);
  const save = useOperation<EvidenceTexts, EvidenceDraft>(
    (api, evidence, key) =>
      api.post(`/disputes/${dispute.id}/evidence_draft`, { version: base.version, evidence }, key),
    {
      done: (saved) => {
        setBase(saved);
        if (goesOn.current) onReview();
        else showToast("Draft saved.");
      },
    },
  );
  const initial = startOf(base);
  const run = (data: FormData, isReview: boolean) => {
    const evidence = Object.fromEntries(
      evidenceFields.flatMap((field) => {
        const text = textOf(data, field);
        return text === undefined ? [] : [[field, text]];
      }),
    );
    const nothing = Object.keys(evidence).length === 0 && files.length === 0;
    setIsEmpty(isReview && nothing);
    if (isReview && nothing) return;
    goesOn.current = isReview;
    void save.run(evidence);
  };
  const saveDraft = () => {
    const element = form.current?.querySelector("form");
    if (element) run(new FormData(element), false);
  };
  const isShown = (field: EvidenceField) =>
    isRecommended(field, dispute.reason) || initial[field] !== undefined;
  const sections = evidenceSections.map(
    ([title, fields]) => [title, fields.filter(isShown)] as const,
  );
  const rest = evidenceFields.filter((field) => !isShown(field));
  const field = (name: EvidenceField) => (
    <EvidenceFieldInput
      key={name}
      name={name}
      initial={initial[name]}
      isRecommended={isRecommended(name, dispute.reason)}
    />
  );
  return (
    <div ref={form} className="grid gap-6">
      {draft.version > base.version && (
        <Notice
          tone="warning"
          action={
            <Button small onClick={onReload}>
              Load draft
            </Button>
          }
        >
          Another person saved a newer draft. Load it to continue. Your unsaved changes will be
          lost.
        </Notice>
      )}
      <section aria-label="Files" className="grid gap-3">
        <h3 className="text-sm font-semibold">Files</h3>
        <DisputeFiles dispute={dispute.id} files={files} />
      </section>
      <Form
        submit="Review evidence"
        busy={save.pending}
        problem={save.problem}
        fault={isEmpty ? "Fill in at least one field, or upload a file." : null}
        onSubmit={(data) => run(data, true)}
        beside={
          <>
            <Button busy={save.pending} onClick={saveDraft}>
              Save draft
            </Button>
            <span className="text-sm text-ink-soft">
              {base.updated === null ? (
                "Nothing is sent before you confirm it in the next step."
              ) : (
                <>
                  Draft saved <DateTime at={base.updated} />
                </>
              )}
            </span>
          </>
        }
      >
        {sections.map(
          ([title, fields]) =>
            fields.length > 0 && (
              <Section key={title} title={title}>
                {fields.map(field)}
              </Section>
            ),
        )}
        {rest.length > 0 && (
          <details>
            <summary className="w-max text-ink-soft hover:text-ink">More evidence</summary>
            <div className="mt-4 grid gap-4 sm:grid-cols-2">{rest.map(field)}</div>
          </details>
        )}
      </Form>
    </div>
  );
}

/** Returns the texts with which the form starts. Does not suggest a text that was deleted from a draft. */
function startOf({ version, evidence, suggested }: EvidenceDraft): EvidenceTexts {
  const isNew = version === 0 && filledFields(evidence).length === 0;
  return isNew ? suggested : evidence;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-3 text-sm font-semibold">{title}</legend>
      <div className="grid gap-4 sm:grid-cols-2">{children}</div>
    </fieldset>
  );
}

function EvidenceFieldInput({
  name,
  initial,
  isRecommended: recommended,
}: {
  name: EvidenceField;
  initial: string | undefined;
  isRecommended: boolean;
}) {
  const shared = {
    name,
    label: evidenceLabels[name],
    defaultValue: initial,
    remark: recommended ? "Recommended" : undefined,
  };
  return isOneLine(name) ? (
    <TextField {...shared} autoComplete="off" />
  ) : (
    <div className="sm:col-span-2">
      <TextArea {...shared} rows={rowsFor(initial)} maxLength={20_000} />
    </div>
  );
}

/** Returns the height of a text field in lines, large enough to show the whole suggested text. */
function rowsFor(text: string | undefined): number {
  return Math.min(10, Math.max(3, (text ?? "").split("\n").length + 1));
}
