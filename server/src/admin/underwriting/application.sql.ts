import type { ApplicationStatus, SectionName } from "@florin/contract/application.ts";
import { type AccountId, idFromUuid, uuidOf } from "../../core/ids.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { Application, InformationRequest } from "./application.ts";

type ApplicationRow = {
  account_id: string;
  status: ApplicationStatus;
  version: number;
  requests: InformationRequest[];
  submitted_at: Date | null;
  decided_at: Date | null;
  decision_note: string | null;
};

const applicationColumns: Fragment = fragment`a.account_id, a.status, a.version, a.requests, a.submitted_at,
  a.decided_at, a.decision_note`;

export async function readApplication(read: Sql, account: AccountId): Promise<Application | null> {
  const [row] = await read<ApplicationRow>`
    select ${applicationColumns} from applications a where account_id = ${uuidOf(account)}
  `;
  return row ? toApplication(row) : null;
}

/**
 * Inserts the first version of the application, or replaces the version that was read. Returns false if a concurrent
 * change was committed first.
 */
export async function writeApplication(tx: Tx, next: Application): Promise<boolean> {
  const rows = await tx`
    insert into applications as a (account_id, status, version, requests, submitted_at, decided_at, decision_note)
    values (${uuidOf(next.account)}, ${next.status}, ${next.version},
            ${JSON.stringify("requests" in next ? next.requests : [])},
            ${"submittedAt" in next ? next.submittedAt : null},
            ${"decidedAt" in next ? next.decidedAt : null},
            ${"decisionNote" in next ? next.decisionNote : null})
    on conflict (account_id) do update
       set status = excluded.status, version = excluded.version, requests = excluded.requests,
           submitted_at = excluded.submitted_at, decided_at = excluded.decided_at,
           decision_note = excluded.decision_note
     where a.version = excluded.version - 1
    returning account_id
  `;
  return rows.length === 1;
}

/** Returns the applications with one of the statuses, of all accounts, in order of submission. */
export async function listApplications(
  read: Sql,
  statuses: readonly ApplicationStatus[],
  limit: number,
): Promise<(Application & { readonly accountName: string })[]> {
  const rows = await read<ApplicationRow & { name: string }>`
    select ${applicationColumns}, w.name
      from applications a
      join accounts w on w.id = a.account_id
     where a.status = any (${statuses}::text[])
     order by a.submitted_at, a.account_id
     limit ${limit}
  `;
  return rows.map((row) => ({ ...toApplication(row), accountName: row.name }));
}

export async function writeSection(
  tx: Tx,
  account: AccountId,
  section: { readonly name: SectionName; readonly ciphertext: Buffer; readonly savedAt: Date },
): Promise<void> {
  await tx`
    insert into application_sections (account_id, section, ciphertext, saved_at)
    values (${uuidOf(account)}, ${section.name}, ${section.ciphertext}, ${section.savedAt})
    on conflict (account_id, section) do update set ciphertext = excluded.ciphertext, saved_at = excluded.saved_at
  `;
}

export async function readEncryptedSections(
  read: Sql,
  account: AccountId,
): Promise<{ section: SectionName; ciphertext: Buffer }[]> {
  return read<{ section: SectionName; ciphertext: Buffer }>`
    select section, ciphertext from application_sections where account_id = ${uuidOf(account)}
  `;
}

export type StoredSection = {
  readonly account: AccountId;
  readonly section: SectionName;
  readonly ciphertext: Buffer;
};

/**
 * Returns up to `limit` application sections whose ciphertext does not begin with `beginning`, which identifies the
 * current key-encryption key.
 */
export async function readSectionsWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<StoredSection[]> {
  const rows = await read<{ account_id: string; section: SectionName; ciphertext: Buffer }>`
    select account_id, section, ciphertext
      from application_sections
     where substr(ciphertext, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map(({ account_id, ...row }) => ({
    ...row,
    account: idFromUuid("acct", account_id),
  }));
}

/** Replaces the ciphertext of a section if it is still the one that was read. */
export async function replaceSection(
  tx: Tx,
  { account, section, ciphertext }: StoredSection,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update application_sections set ciphertext = ${rewrapped}
     where account_id = ${uuidOf(account)} and section = ${section} and ciphertext = ${ciphertext}
  `;
}

function toApplication(row: ApplicationRow): Application {
  const { status, version } = row;
  const account = idFromUuid("acct", row.account_id);
  // A CHECK constraint ensures that these fields are set in these states.
  const submittedAt = row.submitted_at as Date;
  const decidedAt = row.decided_at as Date;
  switch (status) {
    case "draft":
      return { account, version, status };
    case "submitted":
    case "in_review":
      return { account, version, status, submittedAt };
    case "more_information_needed":
      return { account, version, status, submittedAt, requests: row.requests };
    case "approved":
      return { account, version, status, submittedAt, decidedAt };
    case "rejected": {
      const decisionNote = row.decision_note as string;
      return { account, version, status, submittedAt, decidedAt, decisionNote };
    }
  }
}
