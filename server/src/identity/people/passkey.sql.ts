import { idFromUuid, type PersonId, uuidOf, uuidOfNullable } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { ChallengePurpose, Passkey } from "./passkey.ts";

type PasskeyRow = {
  credential_id: Buffer;
  person_id: string;
  name: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
};

export async function insertPasskey(tx: Tx, passkey: Passkey): Promise<boolean> {
  const rows = await tx`
    insert into passkeys (credential_id, person_id, name, public_key, counter, transports, created_at)
    values (${passkey.credentialId}, ${uuidOf(passkey.person)}, ${passkey.name}, ${passkey.publicKey},
            ${passkey.counter}, ${passkey.transports}, ${passkey.createdAt})
    on conflict (credential_id) do nothing
    returning credential_id
  `;
  return rows.length === 1;
}

/** Reads a passkey by its credential ID. Has no person filter, because the passkey identifies the person. */
export async function readPasskey(read: Sql, credentialId: Buffer): Promise<Passkey | null> {
  const [row] = await read<PasskeyRow>`
    select credential_id, person_id, name, public_key, counter, transports, created_at, last_used_at
      from passkeys
     where credential_id = ${credentialId}
  `;
  return row ? toPasskey(row) : null;
}

export async function readPasskeysOf(read: Sql, person: PersonId): Promise<Passkey[]> {
  const rows = await read<PasskeyRow>`
    select credential_id, person_id, name, public_key, counter, transports, created_at, last_used_at
      from passkeys
     where person_id = ${uuidOf(person)}
     order by created_at, credential_id
  `;
  return rows.map(toPasskey);
}

/**
 * Records a use and its signature counter. Returns false if the same or a higher counter is already recorded, which
 * indicates a cloned authenticator. A counter that is always zero is accepted, because some authenticators do not
 * count.
 */
export async function usePasskey(
  tx: Tx,
  credentialId: Buffer,
  { counter, at }: { counter: number; at: Date },
): Promise<boolean> {
  const rows = await tx`
    update passkeys set counter = ${counter}, last_used_at = ${at}
     where credential_id = ${credentialId} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))
    returning credential_id
  `;
  return rows.length === 1;
}

export async function deletePasskey(tx: Tx, person: PersonId, credentialId: Buffer) {
  const rows = await tx`
    delete from passkeys where person_id = ${uuidOf(person)} and credential_id = ${credentialId}
    returning credential_id
  `;
  return rows.length === 1;
}

export async function insertChallenge(
  tx: Tx,
  challenge: string,
  issued: { purpose: ChallengePurpose; person: PersonId | null; expiresAt: Date },
): Promise<void> {
  await tx`
    insert into passkey_challenges (challenge, person_id, purpose, expires_at)
    values (${challenge}, ${uuidOfNullable(issued.person)}, ${issued.purpose}, ${issued.expiresAt})
  `;
}

/**
 * Deletes the challenge and returns whether it was valid. Of concurrent requests with the same challenge, only one
 * receives true.
 */
export async function takeChallenge(
  tx: Tx,
  challenge: string,
  { purpose, person, now }: { purpose: ChallengePurpose; person: PersonId | null; now: Date },
): Promise<boolean> {
  const rows = await tx`
    delete from passkey_challenges
     where challenge = ${challenge} and purpose = ${purpose} and expires_at > ${now}
       and person_id is not distinct from ${uuidOfNullable(person)}::uuid
    returning challenge
  `;
  return rows.length === 1;
}

export async function deleteExpiredChallenges(tx: Tx, now: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from passkey_challenges
     where challenge in (select challenge from passkey_challenges where expires_at <= ${now} limit ${limit})
    returning challenge
  `;
  return rows.length;
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    person: idFromUuid("per", row.person_id),
    name: row.name,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
