/** The recipient of tokens: a merchant, as registered with the wallet. */
export type Recipient = {
  /** The merchant's identifier with the wallet. */
  readonly id: string;
  /** The private scalars of P-256: the current key, and the previous one while it is replaced. */
  readonly privateKeys: readonly Buffer[];
};
