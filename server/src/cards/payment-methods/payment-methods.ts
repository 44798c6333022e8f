import assert from "node:assert/strict";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { networksOf } from "../../acquiring/networks.ts";
import { gatewayCard, type RoutedCard } from "../../acquiring/routing/routed-payment.ts";
import { testCardCredentials, testCardExpiry } from "../../acquiring/test-card-credentials.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import type { AssignmentId, CheckoutSessionId, PaymentMethodId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { batchReads } from "../../platform/database/batch-reads.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CardCredentials, GatewayToken, PayerDetails } from "../../vault/card-number.ts";
import type { Vault } from "../../vault/vault.ts";
import type { CardRecord } from "./card-record.ts";
import { isNumbered, type MaskedCard, type NumberedCard } from "./masked-card.ts";
import {
  lockPaymentMethod,
  type PaymentMethodKey,
  readWithRecords,
  type StoredMethod,
} from "./payment-method.sql.ts";
import { type ChargeInProgress, purposeInUse, purposeOf } from "./payment-method.ts";
import { parsePaymentMethodId } from "./payment-method-id.ts";
import type { Purpose, SingleUse } from "./purpose.ts";
import { type TestMethod, testMethodByName } from "./test-methods.ts";

/** A payment method that can be charged. */
export type ChargeableMethod = ChargeableCard | ChargeableToken;

type ChargeableBase = {
  readonly id: PaymentMethodId;
  readonly purpose: Purpose;
  /** The billing country that the cardholder entered in the card form. */
  readonly billingCountry: string | null;
  /**
   * The declines of earlier payments with the card number. Null for a fixed test name, whose declines are not limited.
   */
  readonly record: CardRecord | null;
};

/** A card whose number is in the vault. */
export type ChargeableCard = ChargeableBase & {
  readonly kind: "card";
  readonly card: NumberedCard;
  /** The card without its security code or cryptogram, for all requests other than the authorization. */
  readonly credentials: CardCredentials;
  /**
   * Returns the card for the acquirer. Only the first call includes the security code or the cryptogram. The method is
   * synchronous, to keep the time between storing the intent and sending the request short. If the process dies in
   * between, a live acquirer may never report the charge's outcome.
   */
  forAuthorization(): CardCredentials;
};

/** A wallet's token that only the acquirer of one assignment can decrypt. */
export type ChargeableToken = ChargeableBase & {
  readonly kind: "gateway_token";
  readonly card: MaskedCard;
  readonly purpose: SingleUse;
  readonly wallet: DigitalWallet;
  /** The only assignment over which the payment can be sent. */
  readonly assignmentId: AssignmentId;
  readonly payer: PayerDetails;
  /** Returns the token. Returns null after the first call, and if the token is no longer in memory. */
  takeToken(): GatewayToken | null;
};

/**
 * Returns whether the payment uses a network token of the customer's device, or a wallet's token that only the acquirer
 * decrypts. The device has authenticated the customer, but Florin can check this only for a network token.
 */
export function isOfDevice(method: ChargeableMethod): boolean {
  return method.kind === "gateway_token" || method.credentials.networkToken !== undefined;
}

/** Returns the properties of a payment method that determine the acquirers to which the payment can be sent. */
export function routedCard(method: ChargeableMethod): RoutedCard {
  if (method.kind === "card") {
    return { ...method.card, isNetworkToken: method.credentials.networkToken !== undefined };
  }
  return { ...gatewayCard(method.wallet), onlyAssignment: method.assignmentId };
}

export type PaymentMethods = {
  /**
   * Returns a payment method for a payment of `session`. A null `session` means a payment without a session. Returns
   * null if the account has no such method, or if it is the single-use card of another session. Throws
   * `payment_method_unexpected_state` for a single-use card in a payment without a session, and
   * `payment_method_not_available` for a detached or erased card.
   */
  find(
    scope: Scope,
    id: string,
    session: CheckoutSessionId | null,
  ): Promise<ChargeableMethod | null>;
  /**
   * Returns the payment method of a charge in progress, even if it was detached after the charge was created. Returns
   * null if the card of the payment method is erased.
   */
  findInUse(charge: ChargeInProgress): Promise<ChargeableMethod | null>;
  /**
   * Waits for any transaction that holds the lock of the payment method. Then throws `payment_method_not_available` if
   * the payment method does not exist or is detached.
   */
  assertAttached(scope: Scope, id: PaymentMethodId): Promise<void>;
};

export function createPaymentMethods(deps: {
  database: Database;
  vault: Vault;
  clock: Clock;
}): PaymentMethods {
  const { database, vault, clock } = deps;
  const readMethod = batchReads((keys: readonly PaymentMethodKey[]) =>
    readWithRecords(database.read, keys, clock.now()),
  );

  async function findStored(
    scope: Scope,
    id: PaymentMethodId,
    session: CheckoutSessionId | null,
  ): Promise<ChargeableMethod | null> {
    const found = await readMethod({ scope, id });
    if (!found) return null;
    const purpose = purposeOf(found.method);
    if (!purpose) throw notAvailable(id);
    // Checks the session before the card is decrypted, so that no card is decrypted for another session.
    if (purpose.kind === "single_use" && purpose.checkoutSessionId !== session) {
      // Returns null instead of an error, so that a customer's browser cannot find out which cards exist in other
      // sessions.
      if (session) return null;
      throw singleUse(id);
    }
    const method = await withCard(found, purpose, session);
    if (!method) throw notAvailable(id);
    return method;
  }

  /** Returns the payment method of a wallet's token. Returns null if the payer's details are erased. */
  async function withToken(
    { method, record }: StoredMethod,
    { purpose, assignmentId }: { readonly purpose: SingleUse; readonly assignmentId: AssignmentId },
  ): Promise<ChargeableToken | null> {
    const { id, scope, card, billingCountry } = method;
    const payer = await vault.readPayer(scope, id);
    if (!payer) return null;
    const { wallet } = card;
    assert(wallet === "google_pay" || wallet === "apple_pay", `${id} has no wallet`);
    const payment = { scope, id, session: purpose.checkoutSessionId };
    await vault.loadGatewayToken(payment);
    return {
      kind: "gateway_token",
      ...{ id, card, purpose, billingCountry, record, wallet, assignmentId, payer },
      takeToken: () => vault.takeGatewayToken(payment),
    };
  }

  /** Decrypts the card of a payment method. Returns null if the card is erased. */
  async function withCard(
    found: StoredMethod,
    purpose: Purpose,
    session: CheckoutSessionId | null,
  ): Promise<ChargeableMethod | null> {
    const { method, record } = found;
    const { id, scope, card, billingCountry, assignmentId } = method;
    if (assignmentId !== null) {
      // Unreachable: the constraint `payment_methods_token_not_saved` keeps tokens in their session.
      if (purpose.kind !== "single_use") return null;
      return withToken(found, { purpose, assignmentId });
    }
    const stored = await vault.readWithoutCode(scope, id);
    if (!stored || !isNumbered(card)) return null;
    // The issuer may have reported a new expiry date since the card was encrypted.
    const credentials = { ...stored, expMonth: card.exp_month, expYear: card.exp_year };
    if (session === null) {
      return {
        kind: "card",
        ...{ id, card, purpose, billingCountry, record, credentials },
        forAuthorization: () => credentials,
      };
    }
    const payment = { scope, id, session };
    await vault.loadSecurityCode(payment);
    const { networkToken } = credentials;
    const forAuthorization = () =>
      networkToken
        ? {
            ...credentials,
            networkToken: { ...networkToken, cryptogram: vault.takeCryptogram(payment) },
          }
        : { ...credentials, securityCode: vault.takeSecurityCode(payment) };
    return {
      kind: "card",
      ...{ id, card, purpose, billingCountry, record, credentials, forAuthorization },
    };
  }

  // The masked cards of test methods. The key includes the merchant, because each merchant's fingerprints differ, and
  // the expiry year, which changes once a year.
  const shownTestCards = new Map<string, NumberedCard>();

  async function findTestMethod(scope: Scope, method: TestMethod): Promise<ChargeableMethod> {
    const credentials = testCardCredentials(method.card, clock.now());
    const place = `${scope.account} ${method.uuid} ${credentials.expYear}`;
    let card = shownTestCards.get(place);
    if (!card) {
      card = await showTestCard(vault, scope, method, clock.now());
      if (shownTestCards.size > 10_000) shownTestCards.clear();
      shownTestCards.set(place, card);
    }
    const id = method.name as PaymentMethodId;
    return {
      kind: "card",
      id,
      card,
      purpose: { kind: "test_name" },
      billingCountry: null,
      record: null,
      credentials,
      forAuthorization: () => credentials,
    };
  }

  return {
    async find(scope, text, session) {
      const testMethod = scope.livemode ? null : testMethodByName(text);
      if (testMethod) return findTestMethod(scope, testMethod);
      const id = parsePaymentMethodId(text);
      return id && !testMethodByName(id) ? findStored(scope, id, session) : null;
    },

    async assertAttached(scope, id) {
      const method = await database.transactionOf(scope, (tx) => lockPaymentMethod(tx, scope, id));
      if (!method || method.detachedAt) throw notAvailable(id);
    },

    async findInUse(charge) {
      const { scope, paymentMethodId: id, checkoutSessionId } = charge;
      const testMethod = scope.livemode ? null : testMethodByName(id);
      if (testMethod) return findTestMethod(scope, testMethod);
      const found = await readMethod({ scope, id });
      const purpose = found && purposeInUse(found.method, charge);
      return found && purpose && withCard(found, purpose, checkoutSessionId);
    },
  };
}

/** Returns the error for a payment method that does not exist, that is detached, or whose card is erased. */
export function notAvailable(id: PaymentMethodId): ApiError {
  return new ApiError(
    "payment_method_not_available",
    `The payment method '${id}' was detached or its card was erased. Collect the card again with a checkout session.`,
    { param: "payment_method_id" },
  );
}

function singleUse(id: PaymentMethodId): ApiError {
  return new ApiError(
    "payment_method_unexpected_state",
    `The payment method '${id}' was collected by a checkout session and not saved, so it can pay for that session only. Collect the card again, and save it with \`save_payment_method\` to use it more than once.`,
    { param: "payment_method_id" },
  );
}

/** Returns the masked card of a test method. */
export async function showTestCard(
  vault: Vault,
  scope: Scope,
  method: TestMethod,
  now: Date,
): Promise<NumberedCard> {
  const { number } = testCardCredentials(method.card, now);
  const { expMonth, expYear } = testCardExpiry(now);
  return {
    brand: method.card.brand,
    last4: number.last4,
    exp_month: expMonth,
    exp_year: expYear,
    funding: method.card.funding,
    country: method.card.country,
    networks: { available: networksOf(method.card), preferred: null },
    fingerprint: await vault.fingerprint(scope, number),
  };
}
