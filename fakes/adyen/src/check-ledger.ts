import type { Balance, Transfer } from "./ledger.ts";
import { heldValue, refundableValue } from "./payment.ts";
import type { State } from "./state.ts";

/** A payment whose amounts differ from the sums of its transfers. */
export type Mismatch = {
  readonly payment: string;
  readonly account: "authorized" | "payable";
  readonly expected: number;
  readonly found: number;
};

/** Returns whether debits equal credits in each currency. */
export function isBalanced(balances: readonly Balance[]): boolean {
  const totals = new Map<string, number>();
  for (const { currency, debit, credit } of balances) {
    totals.set(currency, (totals.get(currency) ?? 0) + debit - credit);
  }
  return [...totals.values()].every((total) => total === 0);
}

/** Compares each payment with its transfers: the held amount, and the captured amount less refunds and chargebacks. */
export function checkLedger(state: State): { isBalanced: boolean; mismatches: Mismatch[] } {
  const transfers = Map.groupBy(state.ledger.since(0), ({ payment }) => payment);
  const mismatches: Mismatch[] = [];
  for (const payment of state.payments.values()) {
    const own = transfers.get(payment.pspReference) ?? [];
    const compare = (account: "authorized" | "payable", expected: number) => {
      const found = balanceOf(own, account);
      if (found !== expected) {
        mismatches.push({ payment: payment.pspReference, account, expected, found });
      }
    };
    compare("authorized", heldValue(payment));
    compare("payable", refundableValue(payment));
  }
  return { isBalanced: isBalanced(state.ledger.balances()), mismatches };
}

function balanceOf(transfers: readonly Transfer[], account: "authorized" | "payable"): number {
  return transfers.reduce((sum, { debit, credit, value }) => {
    if (credit === account) return sum + value;
    return debit === account ? sum - value : sum;
  }, 0);
}
