import type { AccountUpdate } from "./outcome.ts";

/**
 * Returns a reported change of the card. `kind` is null for a status without a change. Without a valid new expiry date,
 * a changed expiry date is reported like a replaced card, because the customer must then enter the card again.
 */
export function accountUpdateOf(
  kind: AccountUpdate["kind"] | null,
  expiry: { readonly month: number | null; readonly year: number | null },
): AccountUpdate | null {
  if (kind !== "expiry_changed") return kind === null ? null : { kind };
  const { month, year } = expiry;
  const isValid = month !== null && year !== null && month >= 1 && month <= 12 && year >= 2000;
  if (!isValid || year > 2099) return { kind: "card_replaced" };
  return { kind, expMonth: month, expYear: year };
}
