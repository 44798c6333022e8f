import type { Page } from "playwright-core";

/** Fills in the application for live mode on its page. */
export async function fillInApplication(page: Page): Promise<void> {
  const type = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
  };
  const save = () => page.getByRole("button", { name: "Save and go on" }).click();
  const address = async () => {
    await type({ "Street and number": "1 Harbour Road", "Postal code": "97201", City: "Portland" });
    await page.getByLabel("Country", { exact: true }).selectOption("US");
  };

  await type({
    "Legal name": "Lighthouse Lamps LLC",
    "Number in the register": "OR-552-118",
    "Tax number": "12-3456789",
    Telephone: "+1 503 555 0100",
  });
  await address();
  await save();

  await type({
    "First name": "Ada",
    "Last name": "Founder",
    Email: "ada@lamps.example",
    "Date of birth": "1980-02-29",
  });
  await address();
  await save();

  await type({
    "Account holder": "Lighthouse Lamps LLC",
    Currency: "USD",
    "IBAN or account number": "000123456789",
    "The bank's number": "110000000",
  });
  await page.getByLabel("The bank's country").selectOption("US");
  await save();

  await type({
    "What you sell, and": "Lamps in the shape of lighthouses, sent by parcel.",
    "Merchant category code": "5719",
    Currency: "USD",
    "A usual payment": "45.00",
    "All payments of a month": "20000",
    "Days from payment": "5",
  });
  await save();

  await type({
    "Your shop": "https://lamps.example",
    "Terms of sale": "https://lamps.example/terms",
    "Privacy policy": "https://lamps.example/privacy",
    "Returns and refunds": "https://lamps.example/returns",
    "Email for customers": "help@lamps.example",
  });
  await save();
}

/** Uploads one file for each requested document. */
export async function uploadProofs(page: Page): Promise<void> {
  for (const kind of ["identity", "business_registration", "bank_statement"]) {
    await page.getByLabel("What it shows").selectOption(kind);
    const buffer = Buffer.from(`%PDF-1.7\nA journey's ${kind}\n%%EOF\n`);
    await page
      .getByLabel("File")
      .setInputFiles({ name: `${kind}.pdf`, mimeType: "application/pdf", buffer });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText(`${kind}.pdf`).waitFor();
  }
}
