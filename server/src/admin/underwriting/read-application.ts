import type { SectionName } from "@florin/contract/application.ts";
import { type AccountId, type ApplicationId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql } from "../../platform/database/sql.ts";
import {
  decryptSecret,
  type EncryptionContext,
  encryptSecret,
} from "../../vault/envelope-encryption.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import { readApplication, readEncryptedSections } from "./application.sql.ts";
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
    decryptSections(read, keys, account),
    listDocuments(read, account),
  ]);
  return { application: application ?? emptyApplication(account), sections, documents };
}

async function decryptSections(
  read: Sql,
  keys: KeyProvider,
  account: AccountId,
): Promise<SavedSections> {
  const ciphertext = await readEncryptedSections(read, account);
  const opened = await Promise.all(
    ciphertext.map(async ({ section, ciphertext: packed }) => {
      const plain = await decryptSecret(keys, encryptedSection(account, section), packed);
      return [section, JSON.parse(plain.toString())] as const;
    }),
  );
  return { ...nothingSaved, ...Object.fromEntries(opened) };
}

export function encryptSection(
  keys: KeyProvider,
  account: AccountId,
  { name, content }: Section,
): Promise<Buffer> {
  const plain = Buffer.from(JSON.stringify(content));
  return encryptSecret(keys, encryptedSection(account, name), plain);
}

/** Returns the encryption context of a section. Applications are encrypted with live mode's keys. */
export function encryptedSection(account: AccountId, section: SectionName): EncryptionContext {
  const scope = { account, livemode: true };
  return { scope, id: applicationIdOf(account), purpose: `application_${section}` };
}

export function applicationIdOf(account: AccountId): ApplicationId {
  return idFromUuid("app", uuidOf(account));
}
