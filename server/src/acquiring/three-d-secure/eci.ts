import type { CardBrand } from "@florin/contract/payment-method.ts";

/**
 * The result of an authentication. The result and the network determine the liability and the ECI. The ECI is sent with
 * the authorization.
 */
export type TransStatus = "Y" | "A" | "N" | "R" | "U" | "I";

type Meaning = {
  readonly eci: { readonly mastercard: string | null; readonly others: string | null };
  readonly liabilityShift: boolean;
};

export const meanings: Readonly<Record<TransStatus, Meaning>> = {
  Y: { eci: { mastercard: "02", others: "05" }, liabilityShift: true },
  A: { eci: { mastercard: "01", others: "06" }, liabilityShift: true },
  N: { eci: { mastercard: "00", others: "07" }, liabilityShift: false },
  R: { eci: { mastercard: "00", others: null }, liabilityShift: false },
  U: { eci: { mastercard: "00", others: "07" }, liabilityShift: false },
  I: { eci: { mastercard: "06", others: "07" }, liabilityShift: false },
};

export function eciOf(brand: CardBrand, status: TransStatus): string | null {
  const { eci } = meanings[status];
  return brand === "mastercard" ? eci.mastercard : eci.others;
}

/** Returns whether the ECI shows an authenticated cardholder. No network uses `02` or `05` for another result. */
export function isAuthenticatedEci(eci: string): boolean {
  return Object.values(meanings.Y.eci).includes(eci);
}

/**
 * Returns whether liability shifts to the issuer. The transStatus and the ECI must agree. An ACS that sends Y with the
 * ECI of an unauthenticated payment has not accepted liability, so no shift is reported to the merchant.
 */
export function shiftsLiability(
  brand: CardBrand,
  status: TransStatus,
  sentEci: string | null,
): boolean {
  if (!meanings[status].liabilityShift) return false;
  return sentEci === null || sentEci === eciOf(brand, "Y") || sentEci === eciOf(brand, "A");
}
