import type { ChargeableMethod } from "../payment-methods/payment-methods.ts";
import { credentialUse } from "../payment-methods/purpose.ts";
import { unreachable } from "../primitives/unreachable.ts";
import type {
  AuthenticationProof,
  InquiryAnswer,
  Processor,
  ProcessorAnswer,
} from "../processors/processor.ts";
import type { CardCredentials } from "../vault/card-number.ts";
import { isHeld, type ProcessingCharge } from "./charge.ts";

/**
 * Asks the acquirer for the money. No transaction is open while it thinks; the charge's id is the reference,
 * so asking twice charges once.
 */
export async function askForMoney(
  processor: Processor,
  charge: ProcessingCharge,
  method: ChargeableMethod,
  authentication: AuthenticationProof | null = null,
): Promise<ProcessorAnswer> {
  const card = await method.forAuthorization();
  if (lacksProof(charge, method, card, authentication)) return neverHappened;
  const answer = await processor.authorize({
    account: charge.owner.account,
    reference: charge.id,
    price: charge.price,
    card,
    capture: !isHeld(charge),
    authentication,
    network: charge.card.networks.preferred,
    use: credentialUse(method.purpose, charge.offSession),
  });
  return refusePart(processor, charge, answer);
}

/**
 * Returns whether nobody has proved to hold the saved card that pays in the card form. The security code is in memory
 * only, so it is gone after a restart, on another server and once its time is over. Whoever has the session's secret
 * could wait for that. The issuer's word that it has authenticated the cardholder (`Y`) replaces the code.
 */
function lacksProof(
  { checkoutSessionId }: ProcessingCharge,
  { purpose }: ChargeableMethod,
  { securityCode }: CardCredentials,
  authentication: AuthenticationProof | null,
): boolean {
  if (checkoutSessionId === null || purpose.kind !== "saved") return false;
  return securityCode === null && authentication?.transStatus !== "Y";
}

/**
 * Asks what became of a charge whose answer never came.
 *
 * "Not found" is no answer, however late it comes: the request may still be on its way and be approved after we gave
 * up on it. The charge then has to be undone.
 */
export async function askWhatHappened(
  processor: Processor,
  charge: ProcessingCharge,
): Promise<InquiryAnswer> {
  const request = { account: charge.owner.account, reference: charge.id };
  const answer = await processor.inquire(request);
  return answer.kind === "not_found" ? answer : refusePart(processor, charge, answer);
}

/** Undoes a charge by its reference, which also forbids it for all time, and believes only that. */
export async function undoForEver(
  processor: Processor,
  charge: ProcessingCharge,
): Promise<ProcessorAnswer> {
  return undo(processor, charge, neverHappened);
}

/**
 * An approval of less than was asked for is not what the merchant sold: it is given back, and the charge is
 * declined for want of funds.
 */
export async function refusePart(
  processor: Processor,
  charge: ProcessingCharge,
  answer: ProcessorAnswer,
): Promise<ProcessorAnswer> {
  if (answer.kind !== "approved" || answer.approvedMinor === charge.price.amountMinor)
    return answer;
  return undo(processor, charge, {
    kind: "declined",
    declineCode: "insufficient_funds",
    networkDeclineCode: null,
    checks: answer.checks,
  });
}

/** Reverses whatever the reference did; only a confirmed reversal makes it `undone`. */
async function undo(
  processor: Processor,
  charge: ProcessingCharge,
  undone: ProcessorAnswer,
): Promise<ProcessorAnswer> {
  const reversal = await processor.reverse({ account: charge.owner.account, reference: charge.id });
  switch (reversal.kind) {
    case "reversed":
      return undone;
    case "unknown":
      return reversal;
    default:
      return unreachable(reversal);
  }
}

/** The bank never saw the charge, or never will: no money moved, and none can. */
const neverHappened: ProcessorAnswer = { kind: "not_sent" };
