import type { Pricing } from "../../core/pricing.ts";

/**
 * The accounts of the ledger. Each business event moves money between them.
 *
 * | account               | is            | means                                                        |
 * |-----------------------|---------------|--------------------------------------------------------------|
 * | acquirer_receivable   | an asset      | owed to us by the acquirer for captured payments             |
 * | bank                  | an asset      | money in our bank account                                    |
 * | merchant_balance      | a liability   | owed by us to the merchant                                   |
 * | settlement_clearing   | a liability   | always 0: the step between pending and available balance     |
 * | dispute_reserve       | a liability   | debited from the merchant while a dispute is open            |
 * | payout_clearing       | a liability   | on its way to the merchant's bank account                    |
 * | fee_income            | income        | our fees                                                     |
 *
 * Every transfer has one debit, one credit and one positive amount, so no posting rule can unbalance the ledger.
 */
export type LedgerAccount =
  | "acquirer_receivable"
  | "merchant_balance"
  | "settlement_clearing"
  | "fee_income"
  | "dispute_reserve"
  | "payout_clearing"
  | "bank";

export type TransferKind =
  | "charge"
  | "fee"
  | "charge_failure"
  | "fee_return"
  | "refund"
  | "refund_failure"
  | "dispute"
  | "dispute_fee"
  | "dispute_reversal"
  | "dispute_loss"
  | "payout"
  | "payout_failure"
  | "payout_arrival"
  | "pending_debit"
  | "pending_credit"
  | "available_debit"
  | "available_credit"
  | "acquirer_fee"
  | "acquirer_fee_return"
  | "conversion_out"
  | "conversion_in";

export type Transfer = {
  readonly kind: TransferKind;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amountMinor: number;
};

/** The debited and the credited account of each kind of transfer. */
const sides: Readonly<Record<TransferKind, { debit: LedgerAccount; credit: LedgerAccount }>> = {
  // A captured payment, and our fee.
  charge: { debit: "acquirer_receivable", credit: "merchant_balance" },
  fee: { debit: "merchant_balance", credit: "fee_income" },
  // A captured payment that the acquirer did not collect, and the return of our fee.
  charge_failure: { debit: "merchant_balance", credit: "acquirer_receivable" },
  fee_return: { debit: "fee_income", credit: "merchant_balance" },
  // A refund to a cardholder, and the return of a failed refund. Neither changes our fee for the payment.
  refund: { debit: "merchant_balance", credit: "acquirer_receivable" },
  refund_failure: { debit: "acquirer_receivable", credit: "merchant_balance" },
  // The amount and fee of a dispute, and its reversal or loss.
  dispute: { debit: "merchant_balance", credit: "dispute_reserve" },
  dispute_fee: { debit: "merchant_balance", credit: "fee_income" },
  dispute_reversal: { debit: "dispute_reserve", credit: "merchant_balance" },
  dispute_loss: { debit: "dispute_reserve", credit: "acquirer_receivable" },
  // A payout to the merchant's bank account, and its arrival or return.
  payout: { debit: "merchant_balance", credit: "payout_clearing" },
  payout_failure: { debit: "payout_clearing", credit: "merchant_balance" },
  payout_arrival: { debit: "payout_clearing", credit: "bank" },
  // A live payment that its acquirer has settled leaves the pending balance and enters the available one. So does a
  // pending payment whose capture fails. The opposite kinds correct a settlement.
  pending_debit: { debit: "merchant_balance", credit: "settlement_clearing" },
  available_credit: { debit: "settlement_clearing", credit: "merchant_balance" },
  available_debit: { debit: "merchant_balance", credit: "settlement_clearing" },
  pending_credit: { debit: "settlement_clearing", credit: "merchant_balance" },
  // The fees that a live acquirer deducts, and its conversions to the currency of the payout.
  acquirer_fee: { debit: "merchant_balance", credit: "acquirer_receivable" },
  acquirer_fee_return: { debit: "acquirer_receivable", credit: "merchant_balance" },
  conversion_out: { debit: "merchant_balance", credit: "acquirer_receivable" },
  conversion_in: { debit: "acquirer_receivable", credit: "merchant_balance" },
};

export function transfer(kind: TransferKind, amountMinor: number): Transfer {
  return { kind, ...sides[kind], amountMinor };
}

/**
 * The transfers of a captured payment. The acquirer owes us the full amount. We owe the merchant that amount minus our
 * fee.
 */
export function chargeTransfers(
  capturedMinor: number,
  pricing: Pricing,
): readonly [Transfer] | readonly [Transfer, Transfer] {
  const charge = transfer("charge", capturedMinor);
  const feeMinor = feeFor(capturedMinor, pricing);
  // A fee of zero needs no transfer, and the ledger rejects transfers of zero.
  return feeMinor === 0 ? [charge] : [charge, transfer("fee", feeMinor)];
}

/**
 * Returns the fee for a payment. The percentage fee is rounded to the nearest minor unit, and half a unit is rounded
 * up. The fee never exceeds the payment.
 */
export function feeFor(amountMinor: number, { basisPoints, fixedMinor }: Pricing): number {
  // Computed in two parts, because the product of the maximum amount and 10,000 basis points exceeds 2^53.
  const wholes = Math.floor(amountMinor / 10_000) * basisPoints;
  const share = wholes + Math.floor(((amountMinor % 10_000) * basisPoints + 5_000) / 10_000);
  return Math.min(amountMinor, share + fixedMinor);
}

/**
 * The transfers of a payment whose capture failed after it had succeeded: the opposite of the posted amount and fee.
 * All of them change the available balance. A pending payment is therefore also moved from the pending to the available
 * balance. In the end, both balances are as before the payment. `isPending` is also true for a payment that returns to
 * the pending balance when its settlement report is applied again (`takeBackRelease`).
 */
export function failureTransfers(
  { chargedMinor, feeMinor }: { readonly chargedMinor: number; readonly feeMinor: number },
  isPending: boolean,
): readonly Transfer[] {
  const netMinor = chargedMinor - feeMinor;
  return [
    transfer("charge_failure", chargedMinor),
    ...(feeMinor === 0 ? [] : [transfer("fee_return", feeMinor)]),
    ...(isPending && netMinor > 0
      ? [transfer("pending_debit", netMinor), transfer("available_credit", netMinor)]
      : []),
  ];
}

/** The transfers of a dispute: the disputed amount and our fee. */
export function disputeTransfers(amountMinor: number, feeMinor: number): readonly Transfer[] {
  const dispute = transfer("dispute", amountMinor);
  return feeMinor === 0 ? [dispute] : [dispute, transfer("dispute_fee", feeMinor)];
}
