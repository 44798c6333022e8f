import { ApiError } from "../../core/api-error.ts";
import { createdAt, type Id, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";

/**
 * Returns the error for an object that was not found. Adds a note if the ID was created before the account's archive
 * horizon. The note depends only on the time in the ID, so it is the same for an ID that never existed and reveals
 * nothing.
 */
export async function withArchiveNote(
  read: Sql,
  scope: Scope,
  id: Id<string>,
  error: ApiError,
): Promise<ApiError> {
  const before = await readArchiveHorizon(read, scope);
  if (before === null || createdAt(id) >= before) return error;
  const message = `${error.message} Payments created before ${before.toISOString().slice(0, 10)} are archived.`;
  return new ApiError(error.code, message, error.details);
}

/** Returns the time before which the account's charges may be archived, or null if none is. */
export async function readArchiveHorizon(
  read: Sql,
  { account, livemode }: Scope,
): Promise<Date | null> {
  const [row] = await read<{ before: Date }>`
    select before from archive_horizons where account_id = ${uuidOf(account)} and livemode = ${livemode}
  `;
  return row?.before ?? null;
}
