import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/** An operator of the service. */
export type Operator = {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string;
  readonly secondFactor: boolean;
};

export async function listOperators(read: Sql): Promise<Operator[]> {
  const rows = await read<{ id: string; name: string; email: string; second_factor: boolean }>`
    select p.id, p.name, p.email,
           exists (select 1 from totp_secrets t where t.person_id = p.id and t.confirmed_at is not null)
             or exists (select 1 from passkeys k where k.person_id = p.id) as second_factor
      from people p
     where p.operator
     order by p.id
  `;
  return rows.map(({ id, second_factor, ...row }) => ({
    ...row,
    id: idFromUuid("per", id),
    secondFactor: second_factor,
  }));
}

/** Locks all operators, so that two operators cannot remove each other concurrently and leave none. */
export async function lockOperators(tx: Tx): Promise<PersonId[]> {
  const rows = await tx<{
    id: string;
  }>`select id from people where operator order by id for update`;
  return rows.map(({ id }) => idFromUuid("per", id));
}

export async function removeOperator(tx: Tx, id: PersonId): Promise<void> {
  await tx`update people set operator = false where id = ${uuidOf(id)}`;
}
