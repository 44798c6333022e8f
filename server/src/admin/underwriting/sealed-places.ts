import type { SealedPlace } from "../../vault/rewrap-secrets.ts";
import { type KeptSection, readSectionsWithout, replaceSection } from "./application.sql.ts";
import { type KeptDocument, readDocumentsWithout, replaceDocument } from "./document.sql.ts";
import { sealedDocument } from "./edit-application.ts";
import { sealedSection } from "./read-application.ts";

export const applicationSections: SealedPlace<KeptSection> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readSectionsWithout(read, beginning, limit),
  to: ({ account, section }) => sealedSection(account, section),
  replace: replaceSection,
};

export const applicationDocuments: SealedPlace<KeptDocument> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readDocumentsWithout(read, beginning, limit),
  to: sealedDocument,
  replace: replaceDocument,
};
