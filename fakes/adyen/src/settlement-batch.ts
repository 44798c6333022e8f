export type SettlementBatch = {
  readonly merchantAccount: string;
  readonly number: number;
  readonly closedAt: number;
  /** The position in the ledger at which the next batch begins. */
  readonly nextPosition: number;
  readonly fileName: string;
  readonly report: string;
};
