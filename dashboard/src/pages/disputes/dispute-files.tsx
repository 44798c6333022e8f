import type { DisputeFile } from "@florin/contract/dispute.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { FileText } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { queryText } from "../../api/api.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Button } from "../../components/button.tsx";
import { fieldStyle } from "../../components/field.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { Problem } from "../../components/problem.tsx";
import { DownloadButton } from "./download-button.tsx";
import { prepareUpload } from "./prepare-upload.ts";

const maxFiles = 10;
const maxBytes = 1.5 * 1024 * 1024;
const mediaTypes = [
  "application/pdf",
  "image/png",
  "image/jpeg",
] as const satisfies readonly DocumentMediaType[];

/** The files of a dispute, with a field to upload more. */
export function DisputeFiles({
  dispute,
  files,
}: {
  dispute: string;
  files: readonly DisputeFile[];
}) {
  const remove = useOperation<string, unknown>((api, id) => api.delete(`/dispute_files/${id}`));
  return (
    <div className="grid gap-3">
      <FileList
        files={files}
        action={({ id, file_name }) => (
          <Button
            small
            weight="quiet"
            busy={remove.pending}
            aria-label={`Delete ${file_name}`}
            onClick={() => void remove.run(id)}
          >
            Delete
          </Button>
        )}
      />
      {remove.problem && <Problem problem={remove.problem} />}
      {files.length < maxFiles ? (
        <Upload dispute={dispute} free={maxFiles - files.length} />
      ) : (
        <p className="text-sm text-ink-soft">
          The dispute has the maximum of {maxFiles} files. Delete one to upload another.
        </p>
      )}
    </div>
  );
}

/** The files with their sizes and pages. Each can be downloaded. */
export function FileList({
  files,
  action,
}: {
  files: readonly DisputeFile[];
  action?: (file: DisputeFile) => ReactNode;
}) {
  if (files.length === 0) return null;
  return (
    <ul className="grid gap-2">
      {files.map((file) => (
        <li
          key={file.id}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line px-3 py-2"
        >
          <FileText aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          <span className="min-w-0">
            <GivenText text={file.file_name} className="block break-all" />
            <span className="block text-sm text-ink-soft">{sizeText(file)}</span>
          </span>
          <span className="ml-auto flex gap-1 print:hidden">
            <DownloadButton
              small
              path={`/dispute_files/${file.id}/content`}
              fileName={file.file_name}
              label="Download"
              name={`Download ${file.file_name}`}
            />
            {action?.(file)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function sizeText({ size, pages }: DisputeFile): string {
  const kilobytes = Math.max(1, Math.round(size / 1024));
  return `${kilobytes} KB · ${pages} ${pages === 1 ? "page" : "pages"}`;
}

function Upload({ dispute, free }: { dispute: string; free: number }) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // Changes the key after each upload to clear the field, because a file field can be cleared only by recreating it.
  const [sent, setSent] = useState(0);
  const operation = useOperation<File, DisputeFile>((api, file, key) => {
    const query = { dispute_id: dispute, file_name: file.name.slice(-120) };
    return api.post(`/dispute_files${queryText(query)}`, file, key);
  });
  const upload = async (chosen: readonly File[]) => {
    setFault(null);
    if (chosen.length > free) {
      setFault(`You can add ${free} more ${free === 1 ? "file" : "files"}.`);
      return;
    }
    setBusy(true);
    for (const original of chosen) {
      const file = await prepareUpload(original);
      const found = faultOf(file);
      setFault(found);
      if (found !== null || (await operation.run(file)) === null) break;
    }
    setBusy(false);
    setSent((count) => count + 1);
  };
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Add files
      </label>
      <input
        key={sent}
        id={id}
        type="file"
        multiple
        disabled={busy}
        accept={mediaTypes.join(",")}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => void upload([...(target.files ?? [])])}
        className={`${fieldStyle} py-1.5 file:mr-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-0.5 file:text-ink`}
      />
      <p id={`${id}-hint`} className="text-sm text-ink-soft">
        {busy
          ? "Uploading…"
          : "PDF, JPEG or PNG, up to 1.5 MB each. Files are stored encrypted. Photos are resized before upload."}
      </p>
      {fault && (
        <p role="alert" className="text-sm text-negative">
          {fault}
        </p>
      )}
      {operation.problem && <Problem problem={operation.problem} />}
    </div>
  );
}

/**
 * Returns the reason why a file cannot be uploaded, or null if it can be. The service repeats the check on the file's
 * content.
 */
function faultOf({ name, size, type }: File): string | null {
  if (size > maxBytes) return `${isolateBidi(name)} is larger than 1.5 MB. Upload a smaller file.`;
  const isAccepted = mediaTypes.some((mediaType) => mediaType === type);
  return isAccepted ? null : `${isolateBidi(name)} must be a PDF, JPEG or PNG.`;
}
