import { BalanceTransactionId } from "./id.tsx";
import type { KeyValue } from "./key-values.tsx";

type Movement = {
  readonly id: string;
  readonly balance_transaction_id: string | null;
  readonly failure_balance_transaction_id: string | null;
};

/** Returns the balance transactions of a payout or refund: its own, and the one that reverses it after a failure. */
export function balanceTransactionItems({
  id: source,
  balance_transaction_id: own,
  failure_balance_transaction_id: reversal,
}: Movement): readonly (KeyValue | false)[] {
  return [
    own !== null && [
      "Balance transaction",
      <BalanceTransactionId key="txn" id={own} source={source} />,
    ],
    reversal !== null && [
      "Reversal",
      <BalanceTransactionId key="back" id={reversal} source={source} />,
    ],
  ];
}
