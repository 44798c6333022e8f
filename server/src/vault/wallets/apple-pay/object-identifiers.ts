/** The object identifiers of the CMS signature and of the certificates of a payment token. */
export const oids = {
  /** RFC 5652. */
  signedData: "1.2.840.113549.1.7.2",
  data: "1.2.840.113549.1.7.1",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  sha256: "2.16.840.1.101.3.4.2.1",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  basicConstraints: "2.5.29.19",
  commonName: "2.5.4.3",
  /** RFC 4519. */
  userId: "0.9.2342.19200300.100.1.1",
  /** RFC 8017. */
  sha256WithRsa: "1.2.840.113549.1.1.11",
  /** The extensions by which Apple marks the certificates that sign payment tokens, and their issuer. */
  leafMarker: "1.2.840.113635.100.6.29",
  intermediateMarker: "1.2.840.113635.100.6.2.14",
  /** The extension with the SHA-256 of the merchant identifier, in the certificates of merchants. */
  merchantIdHash: "1.2.840.113635.100.6.32",
} as const;
