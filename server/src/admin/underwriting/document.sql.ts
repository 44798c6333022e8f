import type { DocumentKind } from "@florin/contract/application.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { type AccountId, type DocumentId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { StoredDocument } from "./document.ts";

export async function insertDocument(
  tx: Tx,
  document: StoredDocument,
  ciphertext: Buffer,
): Promise<void> {
  await tx`
    insert into application_documents (account_id, id, kind, file_name, media_type, size, ciphertext)
    values (${uuidOf(document.account)}, ${uuidOf(document.id)}, ${document.kind}, ${document.fileName},
            ${document.mediaType}, ${document.size}, ${ciphertext})
  `;
}

type DocumentRow = {
  id: string;
  kind: DocumentKind;
  file_name: string;
  media_type: DocumentMediaType;
  size: number;
};

export async function listDocuments(read: Sql, account: AccountId): Promise<StoredDocument[]> {
  const rows = await read<DocumentRow>`
    select id, kind, file_name, media_type, size
      from application_documents
     where account_id = ${uuidOf(account)}
     order by id
  `;
  return rows.map((row) => toDocument(account, row));
}

/** Returns a document with its encrypted content. */
export async function readDocument(
  read: Sql,
  account: AccountId,
  id: DocumentId,
): Promise<{ document: StoredDocument; ciphertext: Buffer } | null> {
  const [row] = await read<DocumentRow & { ciphertext: Buffer }>`
    select id, kind, file_name, media_type, size, ciphertext
      from application_documents
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
  return row ? { document: toDocument(account, row), ciphertext: row.ciphertext } : null;
}

export type StoredDocumentData = {
  readonly account: AccountId;
  readonly id: DocumentId;
  readonly ciphertext: Buffer;
};

/**
 * Returns up to `limit` documents whose ciphertext does not begin with `beginning`, which identifies the current
 * key-encryption key.
 */
export async function readDocumentsWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<StoredDocumentData[]> {
  const rows = await read<{ account_id: string; id: string; ciphertext: Buffer }>`
    select account_id, id, ciphertext
      from application_documents
     where substr(ciphertext, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.account_id),
    id: idFromUuid("doc", row.id),
    ciphertext: row.ciphertext,
  }));
}

/** Replaces the ciphertext of a document if it is still the one that was read. */
export async function replaceDocument(
  tx: Tx,
  { account, id, ciphertext }: StoredDocumentData,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update application_documents set ciphertext = ${rewrapped}
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)} and ciphertext = ${ciphertext}
  `;
}

export async function deleteDocument(tx: Tx, account: AccountId, id: DocumentId): Promise<boolean> {
  const rows = await tx`
    delete from application_documents
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
    returning id
  `;
  return rows.length === 1;
}

function toDocument(account: AccountId, row: DocumentRow): StoredDocument {
  return {
    account,
    id: idFromUuid("doc", row.id),
    kind: row.kind,
    fileName: row.file_name,
    mediaType: row.media_type,
    size: row.size,
  };
}
