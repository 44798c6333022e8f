import { idFromUuid, type PersonId, type SessionId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { Session, SignedIn } from "./session.ts";

type SessionRow = {
  id: string;
  person_id: string;
  second_factor: boolean;
  authenticated_at: Date;
  last_seen_at: Date;
  ip: string;
  user_agent: string;
};

type KnownRow = SessionRow & { email: string; name: string; operator: boolean };

export async function insertSession(tx: Tx, session: Session, tokenHash: Buffer): Promise<void> {
  await tx`
    insert into sessions (id, person_id, token_hash, second_factor, authenticated_at, last_seen_at, ip, user_agent)
    values (${uuidOf(session.id)}, ${uuidOf(session.person)}, ${tokenHash}, ${session.secondFactor},
            ${session.authenticatedAt}, ${session.lastSeenAt}, ${session.ip}, ${session.userAgent})
  `;
}

/** Returns the session with this token, and its person. */
export async function readSessionByToken(
  read: Sql,
  tokenHash: Buffer,
): Promise<(Session & Pick<SignedIn, "email" | "name" | "operator">) | null> {
  const [row] = await read<KnownRow>`
    select s.id, s.person_id, s.second_factor, s.authenticated_at, s.last_seen_at, s.ip, s.user_agent,
           p.email, p.name, p.operator
      from sessions s
      join people p on p.id = s.person_id
     where s.token_hash = ${tokenHash}
  `;
  if (!row) return null;
  const { email, name, operator } = row;
  return { ...toSession(row), email, name, operator };
}

export async function touchSession(tx: Tx, id: SessionId, now: Date, unless: Date): Promise<void> {
  await tx`
    update sessions set last_seen_at = ${now} where id = ${uuidOf(id)} and last_seen_at <= ${unless}
  `;
}

/**
 * Replaces the session's token. Returns false if another request has replaced the token since this request was
 * authenticated. If two concurrent requests both replaced the token, the browser could keep the cookie that arrived
 * last but is no longer valid.
 */
export async function renewSession(
  tx: Tx,
  { session, tokenHash }: Pick<SignedIn, "session" | "tokenHash">,
  /** The hash of the new token, and the step-up. `stepUp` is null for a renewal without a step-up. */
  renewal: { tokenHash: Buffer; stepUp: { secondFactor: boolean; at: Date } | null },
): Promise<boolean> {
  const { stepUp } = renewal;
  const authenticatedAt = stepUp?.at ?? null;
  const rows = await tx`
    update sessions
       set token_hash = ${renewal.tokenHash}, second_factor = second_factor or ${stepUp?.secondFactor ?? false},
           authenticated_at = coalesce(${authenticatedAt}::timestamptz, authenticated_at),
           last_seen_at = coalesce(${authenticatedAt}::timestamptz, last_seen_at)
     where id = ${uuidOf(session)} and token_hash = ${tokenHash}
    returning id
  `;
  return rows.length === 1;
}

/**
 * Locks the session, so that it cannot be deleted before the transaction ends. Returns false if it no longer exists.
 */
export async function lockSession(
  tx: Tx,
  { session, person }: Pick<SignedIn, "session" | "person">,
): Promise<boolean> {
  const rows = await tx`
    select id from sessions where id = ${uuidOf(session)} and person_id = ${uuidOf(person)} for key share
  `;
  return rows.length === 1;
}

export async function readSessionsOf(read: Sql, person: PersonId): Promise<Session[]> {
  const rows = await read<SessionRow>`
    select id, person_id, second_factor, authenticated_at, last_seen_at, ip, user_agent
      from sessions
     where person_id = ${uuidOf(person)}
     order by last_seen_at desc, id desc
  `;
  return rows.map(toSession);
}

export async function deleteSession(tx: Tx, person: PersonId, id: SessionId): Promise<boolean> {
  const rows = await tx`
    delete from sessions where person_id = ${uuidOf(person)} and id = ${uuidOf(id)} returning id
  `;
  return rows.length === 1;
}

/** Deletes all sessions of the person, except `except`. */
export async function deleteSessionsOf(
  tx: Tx,
  person: PersonId,
  except: SessionId | null,
): Promise<number> {
  const excepted = except === null ? null : uuidOf(except);
  const rows = await tx`
    delete from sessions
     where person_id = ${uuidOf(person)} and id is distinct from ${excepted}::uuid
    returning id
  `;
  return rows.length;
}

/** Deletes sessions without activity since `since`. They are rejected even before they are deleted. */
export async function deleteIdleSessions(tx: Tx, since: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from sessions
     where id in (select id from sessions where last_seen_at <= ${since} limit ${limit})
    returning id
  `;
  return rows.length;
}

function toSession(row: SessionRow): Session {
  return {
    id: idFromUuid("ses", row.id),
    person: idFromUuid("per", row.person_id),
    secondFactor: row.second_factor,
    authenticatedAt: row.authenticated_at,
    lastSeenAt: row.last_seen_at,
    ip: row.ip,
    userAgent: row.user_agent,
  };
}
