/** The servers of Google and Apple that live mode calls, and the roots of the signatures that it accepts. */
export type WalletServers = {
  /** The URL of the keys that sign Google Pay tokens. */
  readonly googleKeysUrl: string;
  /** The certificate that issues the certificates with which Apple's devices sign tokens, in PEM. */
  readonly appleRootCertificate: string;
  /** The address of a local server that replaces the servers of Google and Apple, for tests. Null outside of tests. */
  readonly replacement: ServerReplacement | null;
};

/** A server that accepts the connections to other hosts. Its certificate must be valid for their names. */
export type ServerReplacement = {
  readonly host: string;
  readonly port: number;
  /** The certificate authority of the server, in PEM. */
  readonly certificateAuthority: string;
};
