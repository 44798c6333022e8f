import type { SecretKind } from "./payment-secrets.ts";

/**
 * The wallet tokens that only an acquirer can decrypt. They stay in memory from the card form until the charge. A token
 * can be charged only once and expires soon after the customer has approved the payment, so it is not stored. Anyone
 * with a session's secret can send texts that look like tokens. The memory of each session and each account is
 * therefore limited, and tokens have a memory of their own, so that they cannot displace security codes.
 */
export const gatewayTokens: SecretKind = {
  name: "gateway tokens",
  lifetimeMs: 15 * 60 * 1000,
  limits: {
    // A second browser tab can hold a token of the same session.
    session: { secrets: 2, bytes: 30_000 },
    account: { secrets: 2_000, bytes: 8_000_000 },
    total: { secrets: 20_000, bytes: 64_000_000 },
  },
};
