import type { ApplicationPart, DocumentKind } from "@florin/contract/application.ts";
import { sectionNames } from "@florin/contract/application.ts";
import type { SavedSections } from "./sections.ts";

export type Missing = { readonly section: ApplicationPart; readonly message: string };

const unsaved = {
  business: "Say who trades.",
  people: "Say whose business it is.",
  bank_account: "Say where payouts go.",
  products: "Say what you sell.",
  website: "Say where your shop is.",
} as const;

/** Returns what an application lacks before it can be submitted, in the order of its sections. */
export function missingParts(
  sections: SavedSections,
  documents: readonly { readonly kind: DocumentKind }[],
): Missing[] {
  const missing: Missing[] = sectionNames
    .filter((name) => sections[name] === null)
    .map((name) => ({ section: name, message: unsaved[name] }));
  const ask = (section: ApplicationPart, message: string) => missing.push({ section, message });

  const { business, people } = sections;
  const alone = business?.structure === "sole_proprietor";
  if (business && !alone && !business.registration_number) {
    ask("business", "Give the number in the register: only who trades alone has none.");
  }
  if (people && people.owners.filter((owner) => owner.representative).length !== 1) {
    ask("people", "Name exactly one person who signs for the business.");
  }
  if (people && people.owners.reduce((sum, owner) => sum + owner.ownership_percent, 0) > 100) {
    ask("people", "The shares of the owners are more than 100 percent together.");
  }

  const has = (kind: DocumentKind) => documents.some((document) => document.kind === kind);
  if (!has("identity")) {
    ask("documents", "Upload an identity document of who signs for the business.");
  }
  if (business && !alone && !has("business_registration")) {
    ask("documents", "Upload the entry in the register of businesses.");
  }
  if (!has("bank_statement")) {
    ask("documents", "Upload a statement of the bank account, or a letter of the bank.");
  }
  return missing;
}
