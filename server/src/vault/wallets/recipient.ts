/** The recipient of tokens: a merchant, as registered at the wallet. */
export type Recipient = {
  /** The merchant's identifier at the wallet. */
  readonly id: string;
  /** The private scalars of P-256: the current key, and the previous one while it is replaced. */
  readonly privateKeys: readonly Buffer[];
};
