import assert from "node:assert/strict";
import type { Reply } from "./client.ts";
import type { TestPerson } from "./person.ts";

const address = { line1: "1 Main Street", city: "Portland", postal_code: "97201", country: "US" };

/** A complete application, section by section. */
export const reported = {
  business: {
    legal_name: "Fieldware LLC",
    structure: "company",
    registration_number: "OR-552-118",
    tax_id: "12-3456789",
    address,
    phone: "+1 503 555 0100",
  },
  people: {
    owners: [
      {
        first_name: "Ada",
        last_name: "Field",
        email: "ada@fieldware.example",
        date_of_birth: "1980-02-29",
        address,
        representative: true,
        ownership_percent: 100,
      },
    ],
  },
  bank_account: {
    holder_name: "Fieldware LLC",
    country: "US",
    currency: "usd",
    account_number: "000123456789",
    routing_number: "110000000",
  },
  products: {
    description: "Garden tools, sent by parcel within two days.",
    merchant_category_code: "5251",
    currency: "usd",
    average_payment: 4_500,
    monthly_volume: 2_000_000,
    delivery_days: 5,
    recurring: false,
  },
  website: {
    url: "https://fieldware.example",
    terms_url: "https://fieldware.example/terms",
    privacy_url: "https://fieldware.example/privacy",
    refund_policy_url: "https://fieldware.example/refunds",
    support_email: "help@fieldware.example",
  },
} as const;

/** The smallest file that is accepted as a PDF. Contains a string to search for. */
export const pdf = Buffer.from("%PDF-1.7\nIdentity of Ada Field\n%%EOF\n");

export const documentKinds = ["identity", "business_registration", "bank_statement"] as const;

/** Fills in the whole application. */
export async function fillIn(person: TestPerson): Promise<void> {
  for (const [name, content] of Object.entries(reported)) {
    const saved = await person.api("POST", `/application/${name}`, content);
    assert.equal(saved.status, 200, saved.text);
  }
  for (const kind of documentKinds) {
    const uploaded = await uploadDocument(person, pdf, { kind });
    assert.equal(uploaded.status, 201, uploaded.text);
  }
}

export type UploadOptions = {
  readonly kind?: string;
  readonly mediaType?: string;
  readonly key?: string;
};

/** Uploads a file as the body of a request, as a browser does. */
export function uploadDocument(
  person: TestPerson,
  content: Buffer,
  { kind = "identity", mediaType = "application/pdf", key }: UploadOptions = {},
): Promise<Reply> {
  const path = `/application/documents?kind=${kind}&file_name=${kind}.pdf`;
  return person.api("POST", path, content, false, {
    "content-type": mediaType,
    ...(key !== undefined && { "idempotency-key": key }),
  });
}
