import type { AccountUpdate, CardExpiry } from "./outcome.ts";

/**
 * Returns a reported change of the card. `kind` is null for a status without a change. Without a valid new expiry date,
 * a changed expiry date is reported like a replaced card, because the customer must then enter the card again.
 */
export function accountUpdateOf(
  kind: AccountUpdate["kind"] | null,
  expiry: { readonly month: number | null; readonly year: number | null },
): AccountUpdate | null {
  if (kind !== "expiry_changed") return kind === null ? null : { kind };
  const valid = validExpiry(expiry);
  if (valid === null) return { kind: "card_replaced" };
  return { kind, expMonth: valid.month, expYear: valid.year };
}

/** Returns the reported expiry date, or null if it is incomplete or outside the range that is stored. */
export function validExpiry({
  month,
  year,
}: {
  readonly month: number | null;
  readonly year: number | null;
}): CardExpiry | null {
  const isValid = month !== null && year !== null && month >= 1 && month <= 12 && year >= 2000;
  return isValid && year <= 2099 ? { month, year } : null;
}
