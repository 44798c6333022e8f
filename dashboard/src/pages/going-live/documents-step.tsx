import type { ApplicationDocument, DocumentKind } from "@florin/contract/application.ts";
import { FileText } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../api/use-act.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Field, fieldLook, SelectField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { say } from "../../components/toast.tsx";
import { base64Of } from "./base64-of.ts";
import type { StepProps } from "./step.ts";

const kinds = [
  ["identity", "Identity document of who signs"],
  ["business_registration", "Entry in the register of businesses"],
  ["bank_statement", "Bank statement or letter of the bank"],
  ["other", "Something else"],
] as const satisfies readonly (readonly [DocumentKind, string])[];
export const documentNames = new Map<string, string>(kinds);

const largestBytes = 5 * 1024 * 1024;

export function DocumentsStep({ application, editable }: StepProps) {
  return (
    <div className="grid gap-6">
      <Uploaded documents={application.documents} editable={editable} />
      {editable && <Upload />}
    </div>
  );
}

function Uploaded({
  documents,
  editable,
}: {
  documents: readonly ApplicationDocument[];
  editable: boolean;
}) {
  const remove = useAct<string, unknown>((api, id) => api.delete(`/application/documents/${id}`));
  if (documents.length === 0) return <p className="text-ink-soft">Nothing was uploaded yet.</p>;
  return (
    <ul className="grid gap-2">
      {documents.map(({ id, kind, file_name, size, created }) => (
        <li
          key={id}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line px-3 py-2"
        >
          <FileText aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          <span className="min-w-0">
            <span className="block font-medium">{documentNames.get(kind)}</span>
            <span className="block text-sm break-all text-ink-soft">
              {file_name} · {Math.max(1, Math.round(size / 1024))} KB · <DateTime at={created} />
            </span>
          </span>
          {editable && (
            <span className="ml-auto">
              <Button
                small
                weight="quiet"
                busy={remove.pending}
                aria-label={`Delete ${file_name}`}
                onClick={() => void remove.run(id)}
              >
                Delete
              </Button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Upload() {
  const [tooLarge, setTooLarge] = useState(false);
  const [sent, setSent] = useState(0);
  const act = useAct<object, ApplicationDocument>(
    (api, upload, key) => api.post("/application/documents", upload, key),
    {
      done() {
        say("Uploaded.");
        setSent(sent + 1);
      },
    },
  );
  async function submit(form: FormData) {
    const file = form.get("content");
    if (!(file instanceof File) || file.size === 0) return;
    setTooLarge(file.size > largestBytes);
    if (file.size > largestBytes) return;
    const content = await base64Of(file);
    await act.run({ kind: textOf(form, "kind"), file_name: file.name.slice(-120), content });
  }
  return (
    // Once it is sent the form begins anew: a file field cannot be emptied otherwise.
    <Form
      key={sent}
      submit="Upload"
      weight="plain"
      busy={act.pending}
      problem={act.problem}
      onSubmit={(form) => void submit(form)}
    >
      <SelectField name="kind" label="What it shows" choices={kinds} />
      <Field
        name="content"
        label="File"
        hint="A PDF, PNG or JPEG of at most 5 MB. It is sealed; only whoever runs this service can open it."
        fault={tooLarge ? "The file is larger than 5 MB." : null}
      >
        {(wiring) => (
          <input
            type="file"
            accept="application/pdf,image/png,image/jpeg"
            {...wiring}
            className={`${fieldLook} py-1.5 file:mr-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-0.5 file:text-ink`}
          />
        )}
      </Field>
    </Form>
  );
}
