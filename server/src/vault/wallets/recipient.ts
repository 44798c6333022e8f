/** The recipient of tokens: a merchant, as registered with the wallet. */
export type Recipient = {
  /** The merchant's identifier with the wallet. */
  readonly id: string;
  /** The private scalars of P-256 keys: the current key, and the previous keys that have not expired. */
  readonly privateKeys: readonly Buffer[];
};
