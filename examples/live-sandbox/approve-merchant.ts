import { documentKinds, sectionNames, sectionSchemas } from "@florin/contract/application.ts";
import { checklistItems } from "@florin/contract/operator.ts";
import type { Person } from "./http-client.ts";

/** A minimal file that the service accepts as a PDF. */
const document = Buffer.from("%PDF-1.7\nA sample document\n%%EOF\n");

/**
 * Submits the owner's application for live mode with the sample data of the API reference, and approves it as the
 * operator.
 */
export async function approveMerchant(
  owner: Person,
  operator: Person,
  account: string,
): Promise<void> {
  const application = owner.inAccount(account, "test");
  for (const section of sectionNames) {
    const { examples } = sectionSchemas[section] as { readonly examples?: readonly object[] };
    await application.send("POST", `/api/v1/application/${section}`, examples?.[0]);
  }
  for (const kind of documentKinds) {
    const query = new URLSearchParams({ kind, file_name: `${kind}.pdf` });
    await application.send("POST", `/api/v1/application/documents?${query}`, document);
  }
  await application.send("POST", "/api/v1/application/submit", {});

  const path = `/operator/v1/accounts/${account}/application`;
  const decide = async (decision: string, more: object = {}) => {
    const { application } = await operator.send<{ application: { version: number } }>("GET", path);
    await operator.send("POST", `${path}/${decision}`, { version: application.version, ...more });
  };
  await decide("begin_review");
  for (const item of checklistItems) {
    await operator.send("POST", `${path}/checklist`, { item, checked: true });
  }
  await decide("approve", { reason: "A sample merchant of the live sandbox." });
}
