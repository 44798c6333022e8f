import assert from "node:assert/strict";
import type { ThreeDSecure } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import { askForMoney } from "./ask-processor.ts";
import type { ChallengedCharge, Charge, ProcessingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { type RecordedCharge, recordCharge } from "./record-charge.ts";
import { hear } from "./settle.ts";

/** How a challenge ended. Cancelled, failed and timed out are three different things (browser.md). */
export type ChallengeResult = "authenticated" | "failed" | "canceled" | "timed_out";

/**
 * Goes on with a charge whose cardholder was asked to prove who they are: authorises it, or ends it. A result
 * that comes twice, or late, changes nothing; the caller gets the charge as it stands.
 */
export async function authenticateCharge(
  deps: ChargeDeps,
  charge: ChallengedCharge,
  result: ChallengeResult,
): Promise<RecordedCharge> {
  if (result !== "authenticated") {
    return recordCharge(deps, charge, (current, now) => endUnauthenticated(current, result, now));
  }
  // The turn to processing is what makes the winner: only one of two results asks the acquirer.
  let won: ProcessingCharge | null = null;
  const recorded = await recordCharge(deps, charge, (current) => {
    won = resume(current);
    return won;
  });
  if (recorded.charge !== won) return recorded;

  const method = await deps.paymentMethods.find(charge.owner, charge.paymentMethodId);
  const processor = deps.processorFor(charge.owner);
  assert(method && processor, `${charge.id} lost its payment method or its processor`);
  const answer = await askForMoney(processor, recorded.charge as ProcessingCharge, method);
  return recordCharge(deps, recorded.charge as ProcessingCharge, (current, now) =>
    hear(current, answer, now),
  );
}

/** Nobody finished the challenge in time. */
export function timeOutAuthentication(
  deps: ChargeDeps,
  charge: ChallengedCharge,
): Promise<RecordedCharge> {
  return authenticateCharge(deps, charge, "timed_out");
}

function resume(charge: ChallengedCharge): ProcessingCharge {
  return {
    ...charge,
    version: charge.version + 1,
    status: "processing",
    pendingReason: null,
    undoing: false,
    threeDSecure: {
      ...challenge,
      result: "authenticated",
      eci: "05",
      liability_shift: true,
      trans_status: "Y",
    },
  };
}

const challenge = {
  version: "2.2.0",
  flow: "challenge",
  ds_transaction_id: null,
} as const satisfies Partial<ThreeDSecure>;

function endUnauthenticated(
  charge: ChallengedCharge,
  result: Exclude<ChallengeResult, "authenticated">,
  now: Date,
): Charge {
  const code: CardErrorCode & DeclineCode = `authentication_${result}`;
  return {
    ...charge,
    version: charge.version + 1,
    status: "failed",
    settledAt: now,
    failure: { code, declineCode: code, networkDeclineCode: null },
    threeDSecure: { ...challenge, result, eci: null, liability_shift: false, trans_status: "N" },
  };
}
