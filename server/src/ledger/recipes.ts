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
  | "refund_failure"
  | "dispute"
  | "dispute_fee"
  | "dispute_reversal"
  | "dispute_loss"
  | "payout"
  | "payout_failure"
  | "payout_arrival";

export type Transfer = {
  readonly kind: TransferKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountMinor: number;
};

/** Each kind of movement: what it is, the account it is debited to, and the one it is credited to. */
const sides: Readonly<Record<TransferKind, { debit: LedgerAccount; credit: LedgerAccount }>> = {
  // A payment was captured, and our price is taken from it.
  charge: { debit: "acquirer_receivable", credit: "merchant_balance" },
  fee: { debit: "merchant_balance", credit: "fee_income" },
  // Money goes back to a cardholder, or comes back because it could not be given. Our price stays earned.
  refund: { debit: "merchant_balance", credit: "acquirer_receivable" },
  refund_failure: { debit: "acquirer_receivable", credit: "merchant_balance" },
  // A dispute takes the money, and the work it makes is paid for; it is won, or lost.
  dispute: { debit: "merchant_balance", credit: "dispute_reserve" },
  dispute_fee: { debit: "merchant_balance", credit: "fee_income" },
  dispute_reversal: { debit: "dispute_reserve", credit: "merchant_balance" },
  dispute_loss: { debit: "dispute_reserve", credit: "acquirer_receivable" },
  // Money leaves for the merchant's bank account, and arrives or comes back.
  payout: { debit: "merchant_balance", credit: "payout_clearing" },
  payout_failure: { debit: "payout_clearing", credit: "merchant_balance" },
  payout_arrival: { debit: "payout_clearing", credit: "bank" },
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
  // In two parts, because the product of the largest amount and a whole fee is beyond 2^53.
  const wholes = Math.floor(amountMinor / 10_000) * basisPoints;
  const share = wholes + Math.floor(((amountMinor % 10_000) * basisPoints + 5_000) / 10_000);
  return Math.min(amountMinor, share + fixedMinor);
}

/** The money that a dispute takes, and what we ask for it. */
export function disputeRecipe(amountMinor: number, feeMinor: number): readonly Transfer[] {
  const dispute = transfer("dispute", amountMinor);
  return feeMinor === 0 ? [dispute] : [dispute, transfer("dispute_fee", feeMinor)];
}
