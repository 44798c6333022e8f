import type {
  AuthenticationData,
  InquiryResponse,
  Processor,
  ProcessorResponse,
} from "../../acquiring/processor.ts";
import type { ChargeableMethod } from "../../cards/payment-methods/payment-methods.ts";
import { credentialUse } from "../../cards/payment-methods/purpose.ts";
import { unreachable } from "../../core/unreachable.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import { isHeld, type ProcessingCharge } from "./charge.ts";

/**
 * Authorizes the charge at the acquirer. No transaction is open during the call. The charge's id is the reference, so
 * a repeated call charges once.
 */
export async function authorize(
  processor: Processor,
  charge: ProcessingCharge,
  method: ChargeableMethod,
  authentication: AuthenticationData | null = null,
): Promise<ProcessorResponse> {
  const card = await method.forAuthorization();
  if (lacksCardholderEvidence(charge, method, card, authentication)) return neverHappened;
  const response = await processor.authorize({
    account: charge.scope.account,
    reference: charge.id,
    price: charge.price,
    card,
    capture: !isHeld(charge),
    authentication,
    network: charge.card.networks.preferred,
    use: credentialUse(method.purpose, charge.offSession),
  });
  return rejectPartialApproval(processor, charge, response);
}

/**
 * Returns whether the saved card in the card form is used without evidence that the payer holds it. The security code
 * is in memory only, so it is lost after a restart, on another server and after its lifetime. An attacker with the
 * session's secret could wait for that. An issuer's authentication result of `Y` replaces the code.
 */
function lacksCardholderEvidence(
  { checkoutSessionId }: ProcessingCharge,
  { purpose }: ChargeableMethod,
  { securityCode }: CardCredentials,
  authentication: AuthenticationData | null,
): boolean {
  if (checkoutSessionId === null || purpose.kind !== "saved") return false;
  return securityCode === null && authentication?.transStatus !== "Y";
}

/**
 * Inquires about a charge whose response was lost.
 *
 * "Not found" is never an outcome: the request may still be on its way and be approved after we gave up on it. The
 * charge must then be reversed.
 */
export async function inquireStatus(
  processor: Processor,
  charge: ProcessingCharge,
): Promise<InquiryResponse> {
  const request = { account: charge.scope.account, reference: charge.id };
  const response = await processor.inquire(request);
  return response.kind === "not_found"
    ? response
    : rejectPartialApproval(processor, charge, response);
}

/**
 * Reverses a charge by its reference, which also blocks the reference permanently. Accepts only a confirmed reversal.
 */
export async function reverseCharge(
  processor: Processor,
  charge: ProcessingCharge,
): Promise<ProcessorResponse> {
  return reverse(processor, charge, neverHappened);
}

/**
 * Rejects a partial approval: the merchant did not sell part of the order. Reverses it and declines the charge for
 * insufficient funds.
 */
export async function rejectPartialApproval(
  processor: Processor,
  charge: ProcessingCharge,
  response: ProcessorResponse,
): Promise<ProcessorResponse> {
  if (response.kind !== "approved" || response.approvedMinor === charge.price.amountMinor)
    return response;
  return reverse(processor, charge, {
    kind: "declined",
    declineCode: "insufficient_funds",
    networkDeclineCode: null,
    checks: response.checks,
  });
}

/** Reverses every effect of the reference. Returns `afterReversal` only after a confirmed reversal. */
async function reverse(
  processor: Processor,
  charge: ProcessingCharge,
  afterReversal: ProcessorResponse,
): Promise<ProcessorResponse> {
  const reversal = await processor.reverse({ account: charge.scope.account, reference: charge.id });
  switch (reversal.kind) {
    case "reversed":
      return afterReversal;
    case "unknown":
      return reversal;
    default:
      return unreachable(reversal);
  }
}

/** The acquirer never saw the charge, or has blocked its reference: no money moved, and none can. */
const neverHappened: ProcessorResponse = { kind: "not_sent" };
