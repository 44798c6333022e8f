import type { CustomerId } from "../primitives/ids.ts";
import type { CredentialUse } from "../processors/processor.ts";

/** What is known of a card that its holder agreed to save. */
export type Saving = {
  /** Whom it is saved for; null until the first payment under the consent succeeds. */
  readonly customerId: CustomerId | null;
  readonly networkTransactionId: string | null;
};

/**
 * How this payment uses the card, in the networks' terms: once, to save it with its holder's consent, or as one that
 * was saved before, with its holder there or not.
 */
export function credentialUse(saving: Saving | null, offSession: boolean): CredentialUse {
  if (!saving) return { kind: "once" };
  if (!saving.customerId) return { kind: "to_be_saved" };
  return {
    kind: "saved",
    initiatedBy: offSession ? "merchant" : "customer",
    networkTransactionId: saving.networkTransactionId,
  };
}
