import { extname } from "node:path";
import { invalid, notFound } from "./api-error.ts";
import { timestamp } from "./events.ts";
import type { File } from "./records.ts";
import type { Context, Reply } from "./request-context.ts";

/** The maximum size and the types of a file (nas-openapi.json, `POST /files`). */
const maxFileBytes = 4 * 1024 * 1024;
const types: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "application/pdf"]);

/** Stores a file of a multipart request: `POST /files`. */
export async function uploadFile(
  { platform, account }: Context,
  contentType: string,
  bytes: Buffer,
): Promise<Reply> {
  const request = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
  const form = await request.formData().catch(() => null);
  const file = form?.get("file");
  const purpose = form?.get("purpose");
  if (!(file instanceof Blob)) throw invalid("file_required");
  if (purpose !== "dispute_evidence" && purpose !== "arbitration_evidence") {
    throw invalid("purpose_invalid");
  }
  if (file.size > maxFileBytes) throw invalid("file_size_exceeds_limit");
  if (!types.has(file.type)) throw invalid("file_type_invalid");
  const stored = platform.put<File>(platform.files, {
    id: platform.newId("file"),
    account: account.id,
    filename: file.name,
    purpose,
    content: Buffer.from(await file.arrayBuffer()),
    uploadedAt: platform.clock.nowMs(),
  });
  const self = { href: `${platform.baseUrl}/files/${stored.id}` };
  return { status: 200, body: { id: stored.id, _links: { self } } };
}

/** Returns information about a file: `GET /files/{id}`. */
export function retrieveFile({ platform, account }: Context, id: string): Reply {
  const file = platform.files.get(id);
  if (!file || file.account !== account.id) throw notFound();
  const href = `${platform.baseUrl}/files/${id}`;
  return {
    status: 200,
    body: {
      id,
      filename: file.filename,
      purpose: file.purpose,
      size: file.content.length,
      uploaded_on: timestamp(file.uploadedAt),
      _links: {
        self: { href },
        download: { href: `${href}/download${extname(file.filename)}` },
      },
    },
  };
}
