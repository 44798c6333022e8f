import type { AccountUpdate, CardExpiry } from "./outcome.ts";

/**
 * Returns the change of the card that the acquirer reported. Returns null if `kind` is null, which means that the card
 * did not change. If the new expiry date is missing or invalid, reports a replaced card instead of a changed date,
 * because the customer must then enter the card again.
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
