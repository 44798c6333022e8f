import type { SecretKind } from "./payment-secrets.ts";

/**
 * Security codes and the cryptograms of network tokens, which stay in memory from the card form until the charge. PCI
 * DSS requirement 3.3.1 forbids storing security codes after authorization, even encrypted. After a restart, a charge
 * is sent without a security code, and a network token without its cryptogram is not sent.
 */
export const securityCodes: SecretKind = {
  name: "security codes",
  // Covers a 3-D Secure challenge, which EMV 3DS limits to ten minutes per step.
  lifetimeMs: 15 * 60 * 1000,
  // Limits the memory that abandoned card forms can use.
  limits: { total: { secrets: 50_000, bytes: 4_000_000 }, account: null, session: null },
};
