import type { ApplicationPart, DocumentKind } from "@florin/contract/application.ts";
import { sectionNames } from "@florin/contract/application.ts";
import type { SavedSections } from "./sections.ts";

export type Missing = { readonly section: ApplicationPart; readonly message: string };

const unsaved = {
  business: "Enter the details of the business.",
  people: "Enter the owners and the legal representative of the business.",
  bank_account: "Enter the bank account for payouts.",
  products: "Enter the products.",
  website: "Enter the details of the website.",
} as const;

/** Returns the missing parts that an application needs before it can be submitted, in the order of its sections. */
export function missingParts(
  sections: SavedSections,
  documents: readonly { readonly kind: DocumentKind }[],
): Missing[] {
  const missing: Missing[] = sectionNames
    .filter((name) => sections[name] === null)
    .map((name) => ({ section: name, message: unsaved[name] }));
  const addMissing = (section: ApplicationPart, message: string) =>
    missing.push({ section, message });

  const { business, people } = sections;
  const alone = business?.structure === "sole_proprietor";
  if (business && !alone && !business.registration_number) {
    addMissing(
      "business",
      "Enter the registration number. Only a sole proprietor can leave it out.",
    );
  }
  if (people && people.owners.filter((owner) => owner.representative).length !== 1) {
    addMissing("people", "Select exactly one person as the legal representative.");
  }
  if (people && people.owners.reduce((sum, owner) => sum + owner.ownership_percent, 0) > 100) {
    addMissing("people", "Correct the owners' shares. Their total is above 100 percent.");
  }

  const has = (kind: DocumentKind) => documents.some((document) => document.kind === kind);
  if (!has("identity")) {
    addMissing("documents", "Upload an identity document of the legal representative.");
  }
  if (business && !alone && !has("business_registration")) {
    addMissing("documents", "Upload a document that shows the registration of the business.");
  }
  if (!has("bank_statement")) {
    addMissing("documents", "Upload a bank statement or a letter from the bank.");
  }
  return missing;
}
