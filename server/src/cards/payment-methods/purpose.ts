import type { CredentialUse } from "../../acquiring/processor.ts";
import type { CheckoutSessionId, CustomerId } from "../../core/ids.ts";

/** The payments that a payment method may be used for. */
export type Purpose = SingleUse | Saved | TestName;

/** A card from the card form that is not saved. It can pay only for its session. */
export type SingleUse = {
  readonly kind: "single_use";
  readonly checkoutSessionId: CheckoutSessionId;
  /** True if the cardholder consented to save the card. The first successful payment saves it. */
  readonly consented: boolean;
};

/** A card that was saved for a customer with the cardholder's consent. */
export type Saved = {
  readonly kind: "saved";
  readonly customerId: CustomerId;
  /** The network transaction ID of the payment that saved the card. Later payments refer to it. */
  readonly networkTransactionId: string | null;
};

/**
 * A fixed test name such as `pm_card_visa`. It exists in the test mode of every account and can be reused without
 * limit.
 */
export type TestName = { readonly kind: "test_name" };

/** Returns the customer for whom the card is saved, or null for every other payment method. */
export function savedFor(purpose: Purpose): CustomerId | null {
  return purpose.kind === "saved" ? purpose.customerId : null;
}

/** Returns how a payment uses the card, in the terms of the card networks' stored-credential framework. */
export function credentialUse(purpose: Purpose, offSession: boolean): CredentialUse {
  switch (purpose.kind) {
    case "test_name":
      return { kind: "once" };
    case "single_use":
      return { kind: purpose.consented ? "to_be_saved" : "once" };
    case "saved":
      return {
        kind: "saved",
        initiatedBy: offSession ? "merchant" : "customer",
        networkTransactionId: purpose.networkTransactionId,
      };
  }
}
