import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { Link, LinkPurpose } from "./link.ts";

type LinkRow = {
  purpose: LinkPurpose;
  person_id: string | null;
  email: string | null;
  expires_at: Date;
};

export async function insertLink(tx: Tx, hash: Buffer, link: Link): Promise<void> {
  const person = link.purpose === "reset_password" ? uuidOf(link.person) : null;
  const email = link.purpose === "set_up_operator" ? null : link.email;
  await tx`
    insert into links (hash, purpose, person_id, email, expires_at)
    values (${hash}, ${link.purpose}, ${person}, ${email}, ${link.expiresAt})
  `;
}

export async function readLink(read: Sql, hash: Buffer, now: Date): Promise<Link | null> {
  const [row] = await read<LinkRow>`
    select purpose, person_id, email, expires_at from links where hash = ${hash} and expires_at > ${now}
  `;
  return row ? toLink(row) : null;
}

/** Deletes and returns the link. Of concurrent requests with the same link, only one receives it. */
export async function takeLink(tx: Tx, hash: Buffer, now: Date): Promise<Link | null> {
  const [row] = await tx<LinkRow>`
    delete from links where hash = ${hash} and expires_at > ${now}
    returning purpose, person_id, email, expires_at
  `;
  return row ? toLink(row) : null;
}

/** Deletes all links of the person, so that a new link replaces them. */
export async function deleteLinksOfPerson(tx: Tx, person: PersonId): Promise<void> {
  await tx`delete from links where person_id = ${uuidOf(person)}`;
}

export async function deleteLinksFor(tx: Tx, purpose: LinkPurpose): Promise<void> {
  await tx`delete from links where purpose = ${purpose}`;
}

export async function deleteExpiredLinks(tx: Tx, now: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from links where hash in (select hash from links where expires_at <= ${now} limit ${limit})
    returning hash
  `;
  return rows.length;
}

function toLink({ purpose, person_id, email, expires_at: expiresAt }: LinkRow): Link {
  switch (purpose) {
    case "sign_up":
      return { purpose, email: email as string, expiresAt };
    case "reset_password":
      return {
        purpose,
        person: idFromUuid("per", person_id as string),
        email: email as string,
        expiresAt,
      };
    case "set_up_operator":
      return { purpose, expiresAt };
  }
}
