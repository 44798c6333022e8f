import type {
  BankAccountSection,
  BusinessSection,
  PeopleSection,
  ProductsSection,
  SectionName,
  WebsiteSection,
} from "@florin/contract/application.ts";

/** The content of an application by section. */
export type Sections = {
  readonly business: BusinessSection;
  readonly people: PeopleSection;
  readonly bank_account: BankAccountSection;
  readonly products: ProductsSection;
  readonly website: WebsiteSection;
};

export type SavedSections = { readonly [Name in SectionName]: Sections[Name] | null };

/** Any section with its name. */
export type Section = {
  [Name in SectionName]: { readonly name: Name; readonly content: Sections[Name] };
}[SectionName];

export const nothingSaved: SavedSections = {
  business: null,
  people: null,
  bank_account: null,
  products: null,
  website: null,
};
