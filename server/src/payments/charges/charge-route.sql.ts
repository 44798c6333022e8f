import type { Route } from "../../acquiring/routing/route.ts";
import { uuidOf } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { ChargeKey } from "./charge.sql.ts";

/** Returns the reasons for the choice of the charge's acquirer, or null if there was nothing to choose. */
export async function readRoute(read: Sql, { scope, id }: ChargeKey): Promise<Route | null> {
  const [row] = await read<{ route: Route | null }>`
    select route
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row?.route ?? null;
}
