import { type ChecklistItem, checklistItems } from "@florin/contract/operator.ts";
import { ApiError } from "../../core/api-error.ts";

/** The review steps before an account may charge real cards. Approval requires all of them. */
export const checklist = {
  business_exists: "The business is in the register under this name and number, or trades alone.",
  identity_matches: "The identity document is of the person who signs, and not expired.",
  owners_known: "Everybody who owns a quarter or more is named, and on no sanctions list.",
  bank_account_owned: "The bank account belongs to the business.",
  products_allowed: "What is sold is legal there, and the card networks allow it.",
  website_complete:
    "The website shows what is sold, the prices, terms, refunds and how to get in touch.",
  volume_plausible: "Payments, volume and time to delivery fit a business like this.",
} as const satisfies Record<ChecklistItem, string>;

export function refuseUnchecked(checked: ReadonlySet<string>): void {
  const open = checklistItems.filter((item) => !checked.has(item));
  if (open.length === 0) return;
  throw new ApiError(
    "application_incomplete",
    `The checklist is not complete: ${open.join(", ")}. Look at each, and check it.`,
    { param: "checklist" },
  );
}
