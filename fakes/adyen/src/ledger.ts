import assert from "node:assert/strict";

/**
 * The accounts of the ledger, for each merchant account and currency. `issuer_holds` and `authorized` record amounts
 * that issuers hold. The other accounts record money.
 */
export type LedgerAccount =
  | "issuer_holds"
  | "authorized"
  | "issuers"
  | "payable"
  | "fees"
  | "conversion"
  | "bank";

export type MovementKind =
  | "authorized"
  | "released"
  | "captured"
  | "capture_failed"
  | "refunded"
  | "refund_failed"
  | "chargeback"
  | "chargeback_reversed"
  | "second_chargeback"
  | "settled"
  | "fee"
  | "payout";

/** A movement of an amount from the account `debit` to the account `credit`. */
export type Transfer = {
  readonly at: number;
  readonly kind: MovementKind;
  readonly merchantAccount: string;
  readonly currency: string;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly value: number;
  /** The `pspReference` of the payment. Null if the movement belongs to a settlement batch. */
  readonly payment: string | null;
  /** The `pspReference` of the capture, refund or dispute. Null if the movement belongs to the authorization. */
  readonly modification: string | null;
};

export type Balance = {
  readonly merchantAccount: string;
  readonly currency: string;
  readonly account: LedgerAccount;
  debit: number;
  credit: number;
};

/** A double-entry ledger in memory. Transfers are only appended. */
export class Ledger {
  readonly #transfers: Transfer[] = [];
  readonly #balances = new Map<string, Balance>();

  append(transfer: Transfer): void {
    assert.ok(
      Number.isSafeInteger(transfer.value) && transfer.value > 0,
      "A transfer is positive.",
    );
    this.#transfers.push(transfer);
    this.#balance(transfer, transfer.debit).debit += transfer.value;
    this.#balance(transfer, transfer.credit).credit += transfer.value;
  }

  /** The number of transfers. A settlement batch that is closed now ends before this position. */
  get length(): number {
    return this.#transfers.length;
  }

  since(position: number): Transfer[] {
    return this.#transfers.slice(position);
  }

  ofPayment(payment: string): Transfer[] {
    return this.#transfers.filter((transfer) => transfer.payment === payment);
  }

  balances(): Balance[] {
    return [...this.#balances.values()];
  }

  #balance({ merchantAccount, currency }: Transfer, account: LedgerAccount): Balance {
    const key = `${merchantAccount} ${currency} ${account}`;
    const known = this.#balances.get(key);
    if (known) return known;
    const balance = { merchantAccount, currency, account, debit: 0, credit: 0 };
    this.#balances.set(key, balance);
    return balance;
  }
}
