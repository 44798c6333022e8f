import type {
  ApplicationDocument,
  DocumentKind,
  UploadDocument,
} from "@florin/contract/application.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { FileText } from "lucide-react";
import { useState } from "react";
import { queryText } from "../../api/api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { Field, fieldStyle, SelectField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import type { StepProps } from "./step-props.ts";

const kinds = [
  ["identity", "Identity document of the representative"],
  ["business_registration", "Business registration"],
  ["bank_statement", "Bank statement or bank letter"],
  ["other", "Other"],
] as const satisfies readonly (readonly [DocumentKind, string])[];
export const documentNames = new Map<string, string>(kinds);

const maxBytes = 5 * 1024 * 1024;
const mediaTypes = [
  "application/pdf",
  "image/png",
  "image/jpeg",
] as const satisfies readonly DocumentMediaType[];

type DocumentFile = { readonly file: File; readonly params: UploadDocument };

/** Returns the reason why a file cannot be uploaded, or null if it can be. The service repeats the check. */
function faultOf({ size, type }: File): string | null {
  if (size > maxBytes) return "The file is larger than 5 MB. Upload a smaller file.";
  const isAccepted = mediaTypes.some((mediaType) => mediaType === type);
  return isAccepted ? null : "The file must be a PDF, PNG or JPEG.";
}

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
  const remove = useOperation<string, unknown>((api, id) =>
    api.delete(`/application/documents/${id}`),
  );
  if (documents.length === 0) return <p className="text-ink-soft">No documents uploaded yet</p>;
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
              <bdi>{file_name}</bdi> · {Math.max(1, Math.round(size / 1024))} KB ·{" "}
              <DateTime at={created} />
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
  const [fault, setFault] = useState<string | null>(null);
  const [sent, setSent] = useState(0);
  const operation = useOperation<DocumentFile, ApplicationDocument>(
    (api, { file, params }, key) =>
      api.post(`/application/documents${queryText(params)}`, file, key),
    {
      done() {
        showToast("Document uploaded.");
        setSent(sent + 1);
      },
    },
  );
  async function submit(form: FormData) {
    const file = form.get("content");
    if (!(file instanceof File) || file.size === 0) return setFault("Choose a file.");
    const found = faultOf(file);
    setFault(found);
    if (found !== null) return;
    const kind = textOf(form, "kind") as DocumentKind;
    await operation.run({ file, params: { kind, file_name: file.name.slice(-120) } });
  }
  return (
    // Changes the key after each upload to reset the form, because a file field can be cleared only by recreating it.
    <Form
      key={sent}
      submit="Upload"
      weight="plain"
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) => void submit(form)}
    >
      <SelectField name="kind" label="Document type" choices={kinds} />
      <Field
        name="content"
        label="File"
        hint="PDF, PNG or JPEG, up to 5 MB. The file is stored encrypted, and only operators of this service can open it."
        fault={fault}
      >
        {(ariaProps) => (
          <input
            type="file"
            accept={mediaTypes.join(",")}
            {...ariaProps}
            className={`${fieldStyle} py-1.5 file:mr-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-0.5 file:text-ink`}
          />
        )}
      </Field>
    </Form>
  );
}
