import type { SealedPlace } from "../vault/rewrap-secrets.ts";
import { readSectionsWithout, replaceSection } from "./application.sql.ts";
import { readDocumentsWithout, replaceDocument } from "./document.sql.ts";
import { sealedDocument } from "./edit-application.ts";
import { sealedSection } from "./read-application.ts";

/** Where what applications say lies sealed, for whoever wraps it anew. All of it is of live mode. */
export const applicationSections: SealedPlace = async (read, livemode, beginning, limit) => {
  if (!livemode) return [];
  return (await readSectionsWithout(read, beginning, limit)).map((kept) => ({
    to: sealedSection(kept.account, kept.section),
    sealed: kept.sealed,
    replace: (tx, fresh) => replaceSection(tx, kept, fresh),
  }));
};

export const applicationDocuments: SealedPlace = async (read, livemode, beginning, limit) => {
  if (!livemode) return [];
  return (await readDocumentsWithout(read, beginning, limit)).map((kept) => ({
    to: sealedDocument(kept),
    sealed: kept.sealed,
    replace: (tx, fresh) => replaceDocument(tx, kept, fresh),
  }));
};
