import { type ChecklistItem, checklistItems } from "@florin/contract/operator.ts";
import { ApiError } from "../../core/api-error.ts";

/** The review steps that approval for live mode requires. */
export const checklist = {
  business_exists:
    "The business is registered under this name and number, or is a sole proprietor.",
  identity_matches:
    "The identity document belongs to the legal representative, and is not expired.",
  owners_known: "Every owner of 25 percent or more is named, and no owner is on a sanctions list.",
  bank_account_owned: "The bank account belongs to the business.",
  products_allowed:
    "The products are legal in the business's country and allowed by the card networks.",
  website_complete:
    "The website shows the products, prices, terms, refund policy and contact details.",
  volume_plausible: "The payments, volume and delivery times fit a business of this kind.",
} as const satisfies Record<ChecklistItem, string>;

export function assertChecked(checked: ReadonlySet<string>): void {
  const open = checklistItems.filter((item) => !checked.has(item));
  if (open.length === 0) return;
  throw new ApiError(
    "application_incomplete",
    `\`checklist\` is not complete: ${open.join(", ")}. Check and confirm each of these points.`,
    { param: "checklist" },
  );
}
