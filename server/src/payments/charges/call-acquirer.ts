import { declineCodes } from "@florin/contract/declines.ts";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type {
  AuthenticationData,
  InquiryOutcome,
  Payer,
  PayerBrowser,
  Processor,
  RedirectPermission,
  SentChargeRequest,
} from "../../acquiring/processor.ts";
import type {
  ChargeableCard,
  ChargeableToken,
} from "../../cards/payment-methods/payment-methods.ts";
import { credentialUse } from "../../cards/payment-methods/purpose.ts";
import { assertNever } from "../../core/assert-never.ts";
import { knownAddress } from "../../core/network.ts";
import type { CardCredentials, GatewayToken, PayerDetails } from "../../vault/card-number.ts";
import { type Charge, isHeld, type ProcessingCharge } from "./charge.ts";

/**
 * The cardholder's authentication if it has a result, and otherwise the data with which the acquirer can authenticate
 * the cardholder.
 */
export type Cardholder = {
  /** The 3-D Secure result, if the service authenticated the cardholder. */
  readonly authentication?: AuthenticationData | null;
  /** Set if the acquirer may redirect the cardholder. */
  readonly redirect?: RedirectPermission | null;
  readonly browser?: PayerBrowser | null;
};

/**
 * The card of a charge, with its security code if the code is still in memory, and the purpose of the payment method.
 */
export type PayingCard = Pick<ChargeableCard, "purpose"> & { readonly card: CardCredentials };

/**
 * Sends the authorization request to the acquirer. No transaction is open during the call. The charge ID is the
 * reference, so a repeated call charges once.
 */
export async function sendAuthorization(
  processor: Processor,
  charge: ProcessingCharge,
  { card, purpose }: PayingCard,
  { authentication = null, redirect = null, browser = null }: Cardholder,
): Promise<AuthorizationOutcome> {
  const response = await processor.authorize({
    account: charge.scope.account,
    reference: charge.id,
    price: charge.price,
    card,
    capture: !isHeld(charge),
    authentication,
    network: charge.card.networks.preferred,
    use: credentialUse(purpose, charge.offSession),
    statementDescriptor: charge.statementDescriptor,
    redirect,
    payer: payerOf(charge, card, browser),
  });
  return rejectPartialApproval(processor, charge, response);
}

/**
 * Sends a wallet's token to the acquirer that decrypts it. Routing sends the charge over the assignment of the token
 * only. If the assignment's connection has lost its public key in the meantime, the charge is not sent.
 */
export async function sendGatewayToken(
  processor: Processor,
  charge: ProcessingCharge,
  { wallet, payer }: Pick<ChargeableToken, "wallet" | "payer">,
  token: GatewayToken,
): Promise<AuthorizationOutcome> {
  if (processor.authorizeGatewayToken === null) return neverHappened;
  const response = await processor.authorizeGatewayToken({
    account: charge.scope.account,
    reference: charge.id,
    price: charge.price,
    wallet,
    token,
    capture: !isHeld(charge),
    statementDescriptor: charge.statementDescriptor,
    payer: payerOf(charge, payer, null),
  });
  return rejectPartialApproval(processor, charge, response);
}

/** Returns the payer's data from the card and from the risk decision. */
export function payerOf(
  { risk }: Pick<ProcessingCharge, "risk">,
  card: PayerDetails,
  browser: PayerBrowser | null,
): Payer {
  const { email = null, ip = null } = risk.details ?? {};
  const { name = null, phone = null } = card.holder ?? {};
  return {
    name,
    email,
    phone,
    ip: ip && knownAddress(ip),
    address: billingAddressOf(card),
    browser,
  };
}

/**
 * Returns the card's billing address. Returns null if it has neither a postal code nor a street address, because the
 * other fields have no use without these.
 */
function billingAddressOf({ postalCode, addressLine1, holder }: PayerDetails) {
  if (postalCode === null && addressLine1 === null) return null;
  const { city = null, state = null, country = null } = holder ?? {};
  return { line1: addressLine1, city, state, postalCode, country };
}

/**
 * Returns whether the card form charges a saved card or a network token without evidence that the payer has the card.
 * The security code and the cryptogram are kept in memory only, so they are missing after a restart, on another server
 * and after their expiry. An attacker who has the session's client secret could wait until they are missing. For a
 * saved card, an authentication result of `Y` is accepted instead of the code. A network token cannot be authenticated
 * with 3-D Secure.
 */
export function lacksCardholderEvidence(
  { checkoutSessionId }: ProcessingCharge,
  { purpose }: Pick<ChargeableCard, "purpose">,
  { securityCode, networkToken }: CardCredentials,
  { authentication }: Cardholder,
): boolean {
  if (networkToken) return networkToken.cryptogram === null;
  if (checkoutSessionId === null || purpose.kind !== "saved") return false;
  return securityCode === null && authentication?.transStatus !== "Y";
}

/**
 * Sends a status inquiry for a charge whose response was lost.
 *
 * "Not found" is never an outcome, because the request may still be in transit and be approved after the timeout. The
 * caller must reverse a charge that is not found.
 */
export async function inquireStatus(
  processor: Processor,
  inquire: NonNullable<Processor["inquire"]>,
  charge: ProcessingCharge,
): Promise<InquiryOutcome> {
  const response = await inquire(sentRequest(charge));
  return response.kind === "not_found"
    ? response
    : rejectPartialApproval(processor, charge, response);
}

/**
 * Reverses a charge by its reference, which also blocks the reference permanently. Returns `not_sent` if the acquirer
 * confirms the reversal, `pending` if it reports the result later, and `unknown` otherwise.
 */
export async function reverseCharge(
  processor: Processor,
  charge: ProcessingCharge,
): Promise<AuthorizationOutcome> {
  return reverse(processor, charge, neverHappened);
}

/**
 * Reverses a partial approval and declines the charge for insufficient funds, because merchants do not sell part of an
 * order. Returns any other response unchanged.
 */
export async function rejectPartialApproval(
  processor: Processor,
  charge: ProcessingCharge,
  response: AuthorizationOutcome,
): Promise<AuthorizationOutcome> {
  if (response.kind !== "approved" || response.approvedMinor === charge.price.amountMinor)
    return response;
  return reverse(processor, charge, {
    kind: "declined",
    code: "insufficient_funds",
    networkDeclineCode: null,
    retry: declineCodes.insufficient_funds.retry,
    notBefore: null,
    details: response.details,
  });
}

/**
 * Reverses the charge. Returns `afterReversal` if the acquirer confirms the reversal, `pending` if it reports the
 * result later, and `unknown` otherwise.
 */
async function reverse(
  processor: Processor,
  charge: ProcessingCharge,
  afterReversal: AuthorizationOutcome,
): Promise<AuthorizationOutcome> {
  const reversal = await processor.reverse(sentRequest(charge));
  switch (reversal.kind) {
    case "reversed":
      return afterReversal;
    case "pending":
      return { kind: "pending", acquirerReference: null };
    case "unknown":
      return reversal;
    default:
      return assertNever(reversal);
  }
}

function sentRequest(charge: ProcessingCharge): SentChargeRequest {
  // `inquiries` is incremented when the response is recorded. After a crash before that, the next request has the same
  // attempt number.
  const series = `${charge.inquiryRestarts}`;
  const attempt = `${series}.${charge.inquiries}`;
  return { ...sentTerms(charge), acquirerReference: charge.acquirerReference, attempt, series };
}

/** Returns the terms of the authorization request, which a status inquiry repeats. */
export function sentTerms(charge: Charge) {
  const { id: reference, scope, price, statementDescriptor } = charge;
  return {
    account: scope.account,
    reference,
    price,
    capture: !isHeld(charge),
    statementDescriptor,
  };
}

/**
 * The response for a charge that the acquirer never received, or whose reference it has blocked. No money moved, and
 * none can.
 */
export const neverHappened: AuthorizationOutcome = { kind: "not_sent" };
