import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { normalizeEmail, type Person } from "./person.ts";

type PersonRow = {
  id: string;
  email: string;
  name: string;
  password_hash: string;
  operator: boolean;
};

export async function insertPerson(tx: Tx, person: Person): Promise<void> {
  await tx`
    insert into people (id, email, name, password_hash, operator)
    values (${uuidOf(person.id)}, ${person.email}, ${person.name}, ${person.passwordHash}, ${person.operator})
  `;
}

export async function readPerson(read: Sql, id: PersonId): Promise<Person | null> {
  const [row] = await read<PersonRow>`
    select id, email, name, password_hash, operator from people where id = ${uuidOf(id)}
  `;
  return row ? toPerson(row) : null;
}

export async function readPersonByEmail(read: Sql, email: string): Promise<Person | null> {
  const [row] = await read<PersonRow>`
    select id, email, name, password_hash, operator from people where lower(email) = lower(${email})
  `;
  return row && normalizeEmail(row.email) === normalizeEmail(email) ? toPerson(row) : null;
}

/** Locks the person, so that concurrent changes to the person's credentials run one after another. */
export async function lockPerson(tx: Tx, id: PersonId): Promise<Person | null> {
  const [row] = await tx<PersonRow>`
    select id, email, name, password_hash, operator from people where id = ${uuidOf(id)} for update
  `;
  return row ? toPerson(row) : null;
}

export async function updatePasswordHash(tx: Tx, id: PersonId, hash: string): Promise<void> {
  await tx`update people set password_hash = ${hash} where id = ${uuidOf(id)}`;
}

export async function setOperator(tx: Tx, id: PersonId, operator: boolean): Promise<void> {
  await tx`update people set operator = ${operator} where id = ${uuidOf(id)}`;
}

export async function operatorExists(read: Sql): Promise<boolean> {
  const rows = await read`select 1 from people where operator limit 1`;
  return rows.length > 0;
}

function toPerson(row: PersonRow): Person {
  return {
    id: idFromUuid("per", row.id),
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    operator: row.operator,
  };
}
