import type {
  Dispute,
  DisputeFile,
  EvidenceDraft,
  SubmitEvidence,
} from "@florin/contract/dispute.ts";
import { evidenceLabels } from "@florin/contract/evidence-fields.ts";
import { Printer } from "lucide-react";
import { useId, useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";
import { FileList } from "./dispute-files.tsx";
import { DownloadButton } from "./download-button.tsx";
import { filledFields } from "./evidence.ts";

/** Shows the evidence exactly as it will be sent, and submits it after the confirmation. */
export function EvidenceReview({
  dispute,
  draft,
  files,
  onEdit,
}: {
  dispute: Dispute;
  draft: EvidenceDraft;
  files: readonly DisputeFile[];
  onEdit: () => void;
}) {
  const [isConfirmed, setIsConfirmed] = useState(false);
  const id = useId();
  const submit = useOperation<SubmitEvidence, Dispute>(
    (api, evidence, key) => api.post(`/disputes/${dispute.id}/evidence`, evidence, key),
    { done: () => showToast("Evidence submitted to the card network.") },
  );
  const evidence = {
    ...draft.evidence,
    ...(files.length > 0 && { files: files.map((file) => file.id) }),
  };
  return (
    <Panel title="Review evidence" actions={<DocumentActions dispute={dispute} />}>
      <div className="grid gap-6">
        <EvidenceTextsAndFiles texts={draft.evidence} files={files} />
        <div className="grid gap-3 border-t border-line pt-4 print:hidden">
          <label htmlFor={id} className="flex items-start gap-2.5">
            <input
              id={id}
              type="checkbox"
              checked={isConfirmed}
              onChange={({ target }) => setIsConfirmed(target.checked)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span>
              <span className="font-medium">This evidence is complete and correct.</span>
              <span className="block text-sm text-ink-soft">
                The issuer receives these texts and files as one PDF. You can submit evidence only
                once.
              </span>
            </span>
          </label>
          {submit.problem && <Problem problem={submit.problem} />}
          <div className="flex flex-wrap gap-2">
            <Button
              weight="primary"
              busy={submit.pending}
              unavailable={isConfirmed ? null : "Confirm first that the evidence is complete."}
              onClick={() => void submit.run(evidence)}
            >
              Submit evidence
            </Button>
            <Button onClick={onEdit}>Edit</Button>
          </div>
        </div>
      </div>
    </Panel>
  );
}

/** The buttons to download the PDF that the issuer receives, and to print the page. */
export function DocumentActions({ dispute }: { dispute: Dispute }) {
  return (
    <span className="flex flex-wrap gap-2 print:hidden">
      <DownloadButton
        small
        path={`/disputes/${dispute.id}/evidence_document`}
        fileName={`evidence-${dispute.id}.pdf`}
        label="Download PDF"
      />
      <Button small weight="quiet" onClick={() => print()}>
        <Printer aria-hidden="true" className="size-4" />
        Print
      </Button>
    </span>
  );
}

export function EvidenceTextsAndFiles({
  texts,
  files,
}: {
  texts: EvidenceDraft["evidence"];
  files: readonly DisputeFile[];
}) {
  return (
    <>
      <KeyValues
        items={filledFields(texts).map(([field, text]) => [
          evidenceLabels[field],
          <span key={field} className="whitespace-pre-wrap">
            {text}
          </span>,
        ])}
      />
      {files.length > 0 && (
        <section aria-label="Files" className="grid gap-3">
          <h3 className="text-sm font-semibold">Files</h3>
          <FileList files={files} />
        </section>
      )}
    </>
  );
}
