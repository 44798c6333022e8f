import type { EncryptedColumn } from "../../vault/rewrap-secrets.ts";
import { readSectionsWithout, replaceSection, type StoredSection } from "./application.sql.ts";
import { readDocumentsWithout, replaceDocument, type StoredDocumentData } from "./document.sql.ts";
import { encryptedDocument } from "./edit-application.ts";
import { encryptedSection } from "./read-application.ts";

export const applicationSections: EncryptedColumn<StoredSection> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readSectionsWithout(read, beginning, limit),
  to: ({ account, section }) => encryptedSection(account, section),
  replace: replaceSection,
};

export const applicationDocuments: EncryptedColumn<StoredDocumentData> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readDocumentsWithout(read, beginning, limit),
  to: encryptedDocument,
  replace: replaceDocument,
};
