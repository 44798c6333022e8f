export type SettlementBatch = {
  readonly merchantAccount: string;
  readonly number: number;
  readonly closedAt: number;
  /** The position in the ledger at which the next batch begins. */
  readonly nextPosition: number;
  /** The negative balances with which the next batch begins, by currency. */
  readonly carriedOver: Readonly<Record<string, number>>;
  /** The amounts paid to the merchant's bank, by currency. */
  readonly payouts: Readonly<Record<string, number>>;
  readonly fileName: string;
  readonly report: string;
};
