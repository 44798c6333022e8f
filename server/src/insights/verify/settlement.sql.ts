import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples } from "./check.ts";

/**
 * Finds settlement lines whose file is not stored. The service ignores such lines. They remain if the file was removed
 * while its lines were written.
 */
export async function findLinesWithoutFile(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; account: string; file: string; lines: number }>`
    select count(*) over () as total, l.account_id as account, l.file_id as file, count(*) as lines
      from settlement_lines l
     where not exists (
             select from settlement_files f
              where f.account_id = l.account_id and f.livemode = l.livemode and f.id = l.file_id
           )
     group by l.account_id, l.livemode, l.file_id
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ account, file, lines }) =>
      `${idFromUuid("acct", account)} has ${lines} lines of the settlement file ${file}, which is not stored.`,
  );
}
