import type { SectionName } from "@florin/contract/application.ts";
import { type AccountId, type ApplicationId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import { openSecret, type SealedFor, sealSecret } from "../../vault/seal.ts";
import { readApplication, readSealedSections } from "./application.sql.ts";
import { type Application, emptyApplication } from "./application.ts";
import { listDocuments } from "./document.sql.ts";
import type { StoredDocument } from "./document.ts";
import { nothingSaved, type SavedSections, type Section } from "./sections.ts";

/** An application with its decrypted sections. */
export type WholeApplication = {
  readonly application: Application;
  readonly sections: SavedSections;
  readonly documents: readonly StoredDocument[];
};

export async function readWholeApplication(
  { database, keys }: { database: Database; keys: KeyProvider },
  account: AccountId,
): Promise<WholeApplication> {
  const { read } = database;
  const [application, sections, documents] = await Promise.all([
    readApplication(read, account),
    openSections(read, keys, account),
    listDocuments(read, account),
  ]);
  return { application: application ?? emptyApplication(account), sections, documents };
}

async function openSections(
  read: Sql,
  keys: KeyProvider,
  account: AccountId,
): Promise<SavedSections> {
  const sealed = await readSealedSections(read, account);
  const opened = await Promise.all(
    sealed.map(async ({ section, sealed: packed }) => {
      const plain = await openSecret(keys, sealedSection(account, section), packed);
      return [section, JSON.parse(plain.toString())] as const;
    }),
  );
  return { ...nothingSaved, ...Object.fromEntries(opened) };
}

export function sealSection(
  keys: KeyProvider,
  account: AccountId,
  { name, content }: Section,
): Promise<Buffer> {
  const plain = Buffer.from(JSON.stringify(content));
  return sealSecret(keys, sealedSection(account, name), plain);
}

/** Returns the encryption context of a section. Applications are encrypted with live mode's keys. */
export function sealedSection(account: AccountId, section: SectionName): SealedFor {
  const owner = { account, livemode: true };
  return { owner, id: applicationIdOf(account), purpose: `application_${section}` };
}

export function applicationIdOf(account: AccountId): ApplicationId {
  return idFromUuid("app", uuidOf(account));
}
