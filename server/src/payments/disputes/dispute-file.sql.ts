import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import {
  type AccountId,
  type DisputeFileId,
  type DisputeId,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { rowsOfEachScope } from "../../platform/database/each-scope.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";

/** An uploaded file of a dispute without its content. */
export type DisputeFile = {
  readonly scope: Scope;
  readonly id: DisputeFileId;
  readonly disputeId: DisputeId;
  readonly fileName: string;
  readonly mediaType: DocumentMediaType;
  readonly size: number;
  readonly pages: number;
};

export type EncryptedDisputeFile = DisputeFile & { readonly ciphertext: Buffer };

/**
 * The time after which a file of a closed dispute is deleted. It is longer than the months in which arbitration can
 * reopen a dispute, and shorter than the 550 days after which a payment can be archived.
 */
export const disputeFileLifeMs = 540 * 24 * 60 * 60_000;

export async function insertDisputeFile(tx: Tx, file: EncryptedDisputeFile): Promise<void> {
  const { account, livemode } = file.scope;
  await tx`
    insert into dispute_files (account_id, livemode, id, dispute_id, file_name, media_type, size, pages, ciphertext)
    values (${uuidOf(account)}, ${livemode}, ${uuidOf(file.id)}, ${uuidOf(file.disputeId)}, ${file.fileName},
            ${file.mediaType}, ${file.size}, ${file.pages}, ${file.ciphertext})
  `;
}

const columns = fragment`account_id, livemode, id, dispute_id, file_name, media_type, size, pages`;

/** Returns all files of a dispute, oldest first. */
export async function listDisputeFiles(
  read: Sql,
  { scope, id }: { readonly scope: Scope; readonly id: DisputeId },
): Promise<DisputeFile[]> {
  const rows = await read<DisputeFileRow>`
    select ${columns}
      from dispute_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and dispute_id = ${uuidOf(id)}
     order by id
  `;
  return rows.map(toDisputeFile);
}

/** Returns a page of the files of one or all disputes. */
export async function listDisputeFilePage(
  read: Sql,
  scope: Scope,
  dispute: DisputeId | undefined,
  page: Page,
): Promise<DisputeFile[]> {
  const rows = await read<DisputeFileRow>`
    select ${columns}
      from dispute_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${dispute ? fragment`and dispute_id = ${uuidOf(dispute)}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toDisputeFile);
}

export async function readDisputeFile(
  read: Sql,
  scope: Scope,
  id: DisputeFileId,
): Promise<EncryptedDisputeFile | null> {
  const [row] = await read<DisputeFileRow & { ciphertext: Buffer }>`
    select ${columns}, ciphertext
      from dispute_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? { ...toDisputeFile(row), ciphertext: row.ciphertext } : null;
}

export async function deleteDisputeFile(
  tx: Tx,
  { scope, id }: Pick<DisputeFile, "scope" | "id">,
): Promise<void> {
  await tx`
    delete from dispute_files
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

/**
 * Returns up to `limit` files of one mode whose ciphertext does not begin with `beginning`, which identifies the
 * current key-encryption key.
 */
export async function readDisputeFilesWithout(
  read: Sql,
  livemode: boolean,
  beginning: Buffer,
  limit: number,
): Promise<EncryptedDisputeFile[]> {
  const rows = await read<DisputeFileRow & { ciphertext: Buffer }>`
    select ${columns}, ciphertext
      from dispute_files
     where livemode = ${livemode} and substr(ciphertext, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map((row) => ({ ...toDisputeFile(row), ciphertext: row.ciphertext }));
}

/** Replaces the ciphertext of a file, unless the ciphertext has changed since it was read. */
export async function replaceDisputeFile(
  tx: Tx,
  { scope, id, ciphertext }: EncryptedDisputeFile,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update dispute_files set ciphertext = ${rewrapped}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and ciphertext = ${ciphertext}
  `;
}

/**
 * Makes room for another file in the test mode of an account. If the account has `max` files or more, deletes the
 * oldest files of its closed disputes. Returns false if the closed disputes have too few files. The caller must roll
 * back in that case. The caller holds the lock of the account.
 */
export async function makeRoomForTestFile(
  tx: Tx,
  account: AccountId,
  max: number,
): Promise<boolean> {
  const own = fragment`account_id = ${uuidOf(account)} and not livemode`;
  const [row] = await tx<{ count: number }>`
    select count(*)::integer as count from dispute_files where ${own}
  `;
  const excess = (row?.count ?? 0) - max + 1;
  if (excess <= 0) return true;
  const deleted = await tx`
    delete from dispute_files
     where ${own} and id in (
       select file.id
         from dispute_files file
         join disputes d on d.account_id = file.account_id and d.livemode = file.livemode and d.id = file.dispute_id
        where file.account_id = ${uuidOf(account)} and not file.livemode and d.status in ('won', 'lost')
        order by file.id
        limit ${excess}
     )
    returning id
  `;
  return deleted.length === excess;
}

/** Deletes files with an ID below `before` whose dispute is closed. Returns the number deleted. */
export async function deleteOldDisputeFiles(
  tx: Tx,
  before: string,
  limit: number,
): Promise<number> {
  const oldRows = fragment`
    select file.account_id, file.livemode, file.id
      from dispute_files file
      join disputes d on d.account_id = file.account_id and d.livemode = file.livemode and d.id = file.dispute_id
     where file.account_id = a.id and file.livemode = mode.livemode and file.id < ${before}
       and d.status in ('won', 'lost')`;
  const rows = await tx`
    delete from dispute_files f
     using (${rowsOfEachScope(oldRows, limit)}) old
     where f.account_id = old.account_id and f.livemode = old.livemode and f.id = old.id
    returning f.id
  `;
  return rows.length;
}

type DisputeFileRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  dispute_id: string;
  file_name: string;
  media_type: DocumentMediaType;
  size: number;
  pages: number;
};

function toDisputeFile(row: DisputeFileRow): DisputeFile {
  return {
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("file", row.id),
    disputeId: idFromUuid("dp", row.dispute_id),
    fileName: row.file_name,
    mediaType: row.media_type,
    size: row.size,
    pages: row.pages,
  };
}
