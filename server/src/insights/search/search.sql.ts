import { type ChargeId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";

/** The number of charges among which a search by the end of an ID finds charges. No index contains the end of IDs. */
const maxScannedCharges = 10_000;

/** Returns the newest charges whose UUID ends with these hexadecimal digits. */
export async function findChargesByIdEnd(
  read: Sql,
  scope: Scope,
  end: string,
  limit: number,
): Promise<ChargeId[]> {
  const rows = await read<{ id: string }>`
    with newest as materialized (
      select id
        from charges
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       order by id desc
       limit ${maxScannedCharges}
    )
    select id from newest where right(id::text, ${end.length}) = ${end} order by id desc limit ${limit}
  `;
  return rows.map(({ id }) => idFromUuid("ch", id));
}
