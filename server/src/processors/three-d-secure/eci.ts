import type { CardBrand } from "@florin/contract/payment-method.ts";

/**
 * What the bank's letter means in the networks' own words: the electronic commerce indicator that goes with the
 * authorisation, and who bears the loss of a fraud. One table, so that a change of a network's rules is a change
 * of a line here.
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

/**
 * Who bears the loss. The bank's letter and the indicator it sent must say the same: one that sends Y with the
 * indicator of a plain payment has not taken the risk, and we do not tell the merchant that it has.
 */
export function shiftsLiability(
  brand: CardBrand,
  status: TransStatus,
  sentEci: string | null,
): boolean {
  if (!meanings[status].liabilityShift) return false;
  return sentEci === null || sentEci === eciOf(brand, "Y") || sentEci === eciOf(brand, "A");
}
