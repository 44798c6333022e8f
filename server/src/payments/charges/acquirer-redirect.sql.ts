import type { Redirect } from "../../acquiring/outcome.ts";
import { type AttemptId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { rowsOfEachScope } from "../../platform/database/each-scope.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";

/**
 * The redirect of a cardholder to the acquirer's page. `resume` is the data for the request to the acquirer after the
 * cardholder's return.
 */
export type AcquirerRedirect = { readonly redirect: Redirect; readonly resume: string | null };

/** The key of a charge or card verification. The column `charge_id` contains the UUID of either. */
type AttemptKey = { readonly scope: Scope; readonly id: AttemptId };

/**
 * Stores the redirect of a charge or card verification. Replaces an earlier redirect, because the acquirer can redirect
 * the cardholder a second time.
 */
export async function saveRedirect(
  tx: Tx,
  { scope, id }: AttemptKey,
  { redirect: { url, method, fields }, resume }: AcquirerRedirect,
): Promise<void> {
  await tx`
    insert into acquirer_redirects (account_id, livemode, charge_id, url, method, fields, resume)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, ${url}, ${method}, ${fields}, ${resume})
    on conflict (account_id, livemode, charge_id) do update
       set url = excluded.url, method = excluded.method, fields = excluded.fields, resume = excluded.resume
  `;
}

export async function readRedirect(
  read: Sql,
  { scope, id }: AttemptKey,
): Promise<AcquirerRedirect | null> {
  const [row] = await read<Redirect & { resume: string | null }>`
    select url, method, fields, resume
      from acquirer_redirects
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(id)}
  `;
  if (!row) return null;
  const { resume, url, method, fields } = row;
  return { redirect: { url, method, fields }, resume };
}

/**
 * The time after which a redirect is deleted. A charge waits for the cardholder for less than an hour, but a late
 * notification of its approval can still need the redirect (`canBeAuthorizedAlone`).
 */
export const redirectLifeMs = 7 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` redirects of charges with an ID below `before`. Returns the number deleted. */
export async function deleteOldRedirects(tx: Tx, before: string, limit: number): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, charge_id
      from acquirer_redirects
     where account_id = a.id and livemode = mode.livemode and charge_id < ${before}`;
  const rows = await tx`
    delete from acquirer_redirects r
     using (${rowsOfEachScope(oldRows, limit)}) old
     where r.account_id = old.account_id and r.livemode = old.livemode and r.charge_id = old.charge_id
    returning r.charge_id
  `;
  return rows.length;
}
