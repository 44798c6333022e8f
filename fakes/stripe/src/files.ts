import type { File } from "./records.ts";
import { renderFile } from "./render.ts";
import type { Context } from "./request-context.ts";
import { missing } from "./stripe-error.ts";

/** Stores a file of a multipart request (docs.stripe.com/api/files/create). */
export async function createFile(
  { platform, account }: Context,
  contentType: string,
  body: Buffer,
): Promise<object> {
  const response = new Response(new Uint8Array(body), { headers: { "content-type": contentType } });
  const form = await response.formData().catch(() => null);
  const file = form?.get("file");
  const purpose = form?.get("purpose");
  if (!(file instanceof Blob)) throw missing("file");
  if (typeof purpose !== "string") throw missing("purpose");
  return renderFile(
    platform.put<File>(platform.files, {
      id: platform.newId("file"),
      account: account.id,
      purpose,
      type: file.type === "application/pdf" ? "pdf" : (file.type.split("/")[1] ?? "bin"),
      content: Buffer.from(await file.arrayBuffer()),
      created: platform.nowSeconds(),
    }),
  );
}
