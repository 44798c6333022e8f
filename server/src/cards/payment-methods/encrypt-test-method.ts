import { acceptCard } from "../../acquiring/accept-card.ts";
import { testCardExpiry } from "../../acquiring/test-card-credentials.ts";
import type { Clock } from "../../core/clock.ts";
import type { CustomerId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { EncryptedCard, Vault } from "../../vault/vault.ts";
import type { PaymentMethod } from "./payment-method.ts";
import type { TestMethod } from "./test-methods.ts";

/**
 * Encrypts the card of a fixed test name as a new payment method, as if the customer had saved it in the card form.
 * Off-session charges can then be tested before a form is integrated. Does not write to the database.
 */
export async function encryptTestMethod(
  deps: { vault: Vault; clock: Clock },
  scope: Scope,
  { card, name }: TestMethod,
  customer: CustomerId,
): Promise<{ encrypted: EncryptedCard; method: PaymentMethod } | null> {
  const now = deps.clock.now();
  const typed = { number: card.number, securityCode: null, postalCode: null, addressLine1: null };
  const accepted = acceptCard({ ...typed, ...testCardExpiry(now) }, "test_cards", now);
  if (accepted.kind === "problem") return null;
  const encrypted = await deps.vault.encryptCard(scope, accepted.card);
  const method: PaymentMethod = {
    id: encrypted.id,
    scope,
    customerId: customer,
    checkoutSessionId: null,
    consentedAt: now,
    networkTransactionId: `SIM-${name}`,
    verificationId: null,
    updateRequired: null,
    card: {
      brand: encrypted.brand,
      last4: encrypted.last4,
      exp_month: encrypted.expMonth,
      exp_year: encrypted.expYear,
      funding: card.funding,
      country: card.country,
      networks: { available: accepted.card.networks, preferred: null },
      fingerprint: encrypted.fingerprint,
    },
    billingCountry: null,
    assignmentId: null,
    metadata: {},
    detachedAt: null,
  };
  return { encrypted, method };
}
