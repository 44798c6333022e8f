import type { Page } from "playwright-core";

/** Fills in all steps of the application for live mode. */
export async function fillInApplication(page: Page): Promise<void> {
  const type = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
  };
  const save = () => page.getByRole("button", { name: "Save and continue" }).click();
  const address = async () => {
    await type({ "Street address": "1 Harbour Road", "Postal code": "97201", City: "Portland" });
    await page.getByLabel("Country", { exact: true }).selectOption("US");
  };

  await type({
    "Legal name": "Lighthouse Lamps LLC",
    "Registration number": "OR-552-118",
    "Tax ID": "12-3456789",
    Phone: "+1 503 555 0100",
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
    "Routing number or sort code": "110000000",
  });
  await page.getByLabel("Bank country").selectOption("US");
  await save();

  await type({
    "Products or services": "Lamps in the shape of lighthouses, sent by parcel.",
    "Merchant category code": "5719",
    Currency: "USD",
    "Average payment": "45.00",
    "Monthly volume": "20000",
    "Maximum days from payment": "5",
  });
  await save();

  await type({
    "Website URL": "https://lamps.example",
    "Terms and conditions": "https://lamps.example/terms",
    "Privacy policy": "https://lamps.example/privacy",
    "Refund policy": "https://lamps.example/returns",
    "Support email": "help@lamps.example",
  });
  await save();
}

/** Uploads one file for each requested document. */
export async function uploadDocuments(page: Page): Promise<void> {
  for (const kind of ["identity", "business_registration", "bank_statement"]) {
    await page.getByLabel("Document type").selectOption(kind);
    const buffer = Buffer.from(`%PDF-1.7\nA journey's ${kind}\n%%EOF\n`);
    await page
      .getByLabel("File")
      .setInputFiles({ name: `${kind}.pdf`, mimeType: "application/pdf", buffer });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText(`${kind}.pdf`).waitFor();
  }
}
