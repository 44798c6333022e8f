import type { DocumentKind } from "@florin/contract/application.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type AccountId, type DocumentId, idFromUuid, uuidOf } from "../primitives/ids.ts";
import type { MediaType, StoredDocument } from "./document.ts";

export async function insertDocument(
  tx: Tx,
  document: StoredDocument,
  sealed: Buffer,
): Promise<void> {
  await tx`
    insert into application_documents (account_id, id, kind, file_name, media_type, size, sealed)
    values (${uuidOf(document.account)}, ${uuidOf(document.id)}, ${document.kind}, ${document.fileName},
            ${document.mediaType}, ${document.size}, ${sealed})
  `;
}

type DocumentRow = {
  id: string;
  kind: DocumentKind;
  file_name: string;
  media_type: MediaType;
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

/** A document with its sealed bytes. */
export async function readDocument(
  read: Sql,
  account: AccountId,
  id: DocumentId,
): Promise<{ document: StoredDocument; sealed: Buffer } | null> {
  const [row] = await read<DocumentRow & { sealed: Buffer }>`
    select id, kind, file_name, media_type, size, sealed
      from application_documents
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
  return row ? { document: toDocument(account, row), sealed: row.sealed } : null;
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
