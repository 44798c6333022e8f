import type { Pricing } from "../primitives/pricing.ts";

/**
 * How each business event moves money between the ledger's accounts: the table a bookkeeper reads.
 *
 * | account               | is            | means                                                        |
 * |-----------------------|---------------|--------------------------------------------------------------|
 * | acquirer_receivable   | an asset      | what the acquirer owes us for payments it approved           |
 * | bank                  | an asset      | money in our bank account                                    |
 * | merchant_balance      | a liability   | what we owe the merchant                                     |
 * | dispute_reserve       | a liability   | taken from the merchant while a dispute is open              |
 * | payout_clearing       | a liability   | on its way to the merchant's bank account                    |
 * | fee_income            | income        | what we earned                                               |
 *
 * Every transfer has one debit, one credit and one positive amount, so no recipe can unbalance the books.
 */
export type LedgerAccount =
  | "acquirer_receivable"
  | "merchant_balance"
  | "fee_income"
  | "dispute_reserve"
  | "payout_clearing"
  | "bank";

export type TransferKind =
  | "charge"
  | "fee"
  | "refund"
  | "fee_refund"
  | "dispute"
  | "dispute_reversal"
  | "dispute_fee"
  | "payout"
  | "payout_failure";

export type Transfer = {
  readonly kind: TransferKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountMinor: number;
};

const sides: Readonly<Record<TransferKind, { debit: LedgerAccount; credit: LedgerAccount }>> = {
  charge: { debit: "acquirer_receivable", credit: "merchant_balance" },
  fee: { debit: "merchant_balance", credit: "fee_income" },
  refund: { debit: "merchant_balance", credit: "acquirer_receivable" },
  fee_refund: { debit: "fee_income", credit: "merchant_balance" },
  dispute: { debit: "merchant_balance", credit: "dispute_reserve" },
  dispute_reversal: { debit: "dispute_reserve", credit: "merchant_balance" },
  dispute_fee: { debit: "merchant_balance", credit: "fee_income" },
  payout: { debit: "merchant_balance", credit: "payout_clearing" },
  payout_failure: { debit: "payout_clearing", credit: "merchant_balance" },
};

export function transfer(kind: TransferKind, amountMinor: number): Transfer {
  return { kind, ...sides[kind], amountMinor };
}

/** A captured payment: the acquirer owes us the whole, the merchant is owed the whole less our price. */
export function chargeRecipe(
  capturedMinor: number,
  pricing: Pricing,
): readonly [Transfer] | readonly [Transfer, Transfer] {
  const charge = transfer("charge", capturedMinor);
  const feeMinor = feeFor(capturedMinor, pricing);
  // A fee of nothing moves nothing, and the books take no transfer of zero.
  return feeMinor === 0 ? [charge] : [charge, transfer("fee", feeMinor)];
}

/** Half a unit rounds up; a fee never exceeds the payment it is taken from. */
export function feeFor(amountMinor: number, { basisPoints, fixedMinor }: Pricing): number {
  const share = Math.floor((amountMinor * basisPoints + 5_000) / 10_000);
  return Math.min(amountMinor, share + fixedMinor);
}
