import type { DisputeFile as DisputeFileObject } from "@florin/contract/dispute.ts";
import type { EvidenceFile } from "../../acquiring/processor.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, parseId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { decryptSecret, type EncryptionContext } from "../../vault/envelope-encryption.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { EncryptedColumn } from "../../vault/rewrap-secrets.ts";
import type { Dispute } from "./dispute.ts";
import {
  type DisputeFile,
  type EncryptedDisputeFile,
  listDisputeFiles,
  readDisputeFile,
  readDisputeFilesWithout,
  replaceDisputeFile,
} from "./dispute-file.sql.ts";

export function disputeFileObject(file: DisputeFile): DisputeFileObject {
  return {
    id: file.id,
    object: "dispute_file",
    livemode: file.scope.livemode,
    created: unixSeconds(createdAt(file.id)),
    dispute_id: file.disputeId,
    file_name: file.fileName,
    media_type: file.mediaType,
    size: file.size,
    pages: file.pages,
  };
}

/** Returns the encryption context, which binds the ciphertext to its account, mode and ID. */
export function encryptedFile({ scope, id }: Pick<DisputeFile, "scope" | "id">): EncryptionContext {
  return { scope, id, purpose: "dispute_file" };
}

export const disputeFiles: EncryptedColumn<EncryptedDisputeFile> = {
  read: readDisputeFilesWithout,
  to: encryptedFile,
  replace: replaceDisputeFile,
};

/** Rejects evidence with a file that does not belong to the dispute. */
export async function assertFilesExist(
  read: Sql,
  dispute: Dispute,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set<string>((await listDisputeFiles(read, dispute)).map(({ id }) => id));
  for (const [index, id] of ids.entries()) {
    if (known.has(id)) continue;
    throw new ApiError(
      "resource_missing",
      `The dispute '${dispute.id}' has no file with the ID '${parseId("file", id) ?? "…"}'. Upload the file first.`,
      { param: `files[${index}]` },
    );
  }
}

/** Returns the files of the evidence with their content, in the order of the evidence. */
export async function readEvidenceFiles(
  { read, keys }: { readonly read: Sql; readonly keys: KeyProvider },
  { scope }: Pick<Dispute, "scope">,
  ids: readonly string[],
): Promise<EvidenceFile[]> {
  const files: EvidenceFile[] = [];
  for (const text of ids) {
    const id = parseId("file", text);
    const file = id && (await readDisputeFile(read, scope, id));
    // A missing file was deleted long after its dispute was closed. The evidence of such a dispute is no longer sent.
    if (!file) continue;
    const { fileName: name, mediaType, pages } = file;
    const content = await decryptSecret(keys, encryptedFile(file), file.ciphertext);
    files.push({ name, mediaType, pages, content });
  }
  return files;
}
