import { type ChargeId, idFromUuid, uuidOf } from "../src/core/ids.ts";
import type { Database } from "../src/platform/database/database.ts";

/**
 * Inserts copies of a charge, each a millisecond older than the one before, and returns their IDs. `changes` replaces
 * columns. Creating so many charges over HTTP would take too long.
 */
export async function copyCharge(
  database: Database,
  id: ChargeId,
  count: number,
  changes: object = {},
): Promise<ChargeId[]> {
  const copies = await database.transaction(
    (tx) => tx<{ id: string }>`
      insert into charges
      select copy.*
        from charges as one
       cross join generate_series(1, ${count}::integer) as n
       cross join jsonb_populate_record(
                    one, jsonb_build_object('id', uuidv7(n * interval '-1 ms')) || ${changes}::jsonb
                  ) as copy
       where one.id = ${uuidOf(id)}
      returning id`,
  );
  return copies.map((copy) => idFromUuid("ch", copy.id));
}
