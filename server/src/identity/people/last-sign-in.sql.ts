import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/**
 * Records the time of a sign-in. Later activity is not recorded: a session lasts at most half a day, so this is
 * precise enough to count inactive days.
 */
export async function recordLastSignIn(tx: Tx, person: PersonId, now: Date): Promise<void> {
  await tx`update people set signed_in_at = ${now} where id = ${uuidOf(person)}`;
}

/** A person who has not signed in for a long time. */
export type InactivePerson = {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string;
  readonly operator: boolean;
  /** The time of the last sign-in. For a person who has not signed in since the sign-up, the time of the sign-up. */
  readonly activeAt: Date;
};

/** Returns people whose last sign-in was before `since`, operators first, and their total number. */
export async function listInactivePeople(
  read: Sql,
  since: Date,
  limit: number,
): Promise<{ readonly total: number; readonly people: readonly InactivePerson[] }> {
  const rows = await read<{
    total: number;
    id: string;
    name: string;
    email: string;
    operator: boolean;
    active_at: Date;
  }>`
    select count(*) over () as total, id, name, email, operator,
           coalesce(signed_in_at, created_at(id)) as active_at
      from people
     where coalesce(signed_in_at, created_at(id)) < ${since}
     order by operator desc, coalesce(signed_in_at, created_at(id)), id
     limit ${limit}
  `;
  const people = rows.map(({ id, name, email, operator, active_at }) => ({
    id: idFromUuid("per", id),
    name,
    email,
    operator,
    activeAt: active_at,
  }));
  return { total: rows[0]?.total ?? 0, people };
}
