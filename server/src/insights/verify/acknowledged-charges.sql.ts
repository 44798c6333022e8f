import { idFromUuid } from "../../core/ids.ts";
import { rowsOf, texts, uuids } from "../../platform/database/array-parameter.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { type Acknowledged, describe, type Found, limitExamples } from "./check.ts";

/** Finds acknowledged charges that are missing, or whose status contradicts the status that the client received. */
export async function findBrokenAcknowledgements(
  read: Sql,
  acknowledged: readonly Acknowledged[],
): Promise<Found> {
  const claims = rowsOf({
    id: uuids(acknowledged, ({ chargeId }) => chargeId),
    received: texts(acknowledged, ({ status }) => status),
  });
  const rows = await read<{ total: number; id: string; received: string; status: string | null }>`
    select count(*) over () as total, a.id, a.received, c.status
      from ${claims} as a
      left join charges c on c.id = a.id
     where not coalesce(
             a.received in ('processing', 'requires_action')
             or a.received = c.status
             or (a.received = 'authorized' and c.status in ('succeeded', 'canceled'))
             or (a.received in ('authorized', 'succeeded') and c.failure_entry_id is not null),
             false
           )
        or c.id is null
     ${limitExamples}
  `;
  return describe(rows, ({ id, received, status }) =>
    status === null
      ? `A client received ${idFromUuid("ch", id)}, which does not exist.`
      : `A client received ${idFromUuid("ch", id)} as ${received}, but the charge is ${status}.`,
  );
}
