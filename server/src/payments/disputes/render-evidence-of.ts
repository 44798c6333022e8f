import type { EvidenceTexts } from "@florin/contract/evidence-fields.ts";
import type { EvidenceDocument } from "../../acquiring/evidence/evidence-document.ts";
import { previewResponse } from "../../acquiring/evidence/render-evidence.ts";
import type { DisputeAnswer, DisputeResponse } from "../../acquiring/processor.ts";
import { createMerchantConcurrency } from "../../platform/http/merchant-concurrency.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { Dispute } from "./dispute.ts";
import { readEvidenceFiles } from "./dispute-file.ts";
import type { DisputeDeps } from "./record-dispute.ts";

/** Returns the merchant's response to a dispute in the form that the acquirer receives. */
export function responseTo(dispute: Dispute, answer: DisputeAnswer): DisputeResponse {
  return {
    account: dispute.scope.account,
    networkCase: dispute.networkCase,
    acquirerReference: dispute.acquirerReference,
    charge: dispute.chargeId,
    price: dispute.price,
    reason: dispute.reason,
    isInquiry: dispute.isInquiry,
    answer,
  };
}

/**
 * Limits how many documents one merchant's requests render at a time. All merchants share one thread. A document can
 * occupy it for seconds, and a waiting document holds its files in memory.
 */
const limitRenderings = createMerchantConcurrency({ maxRunning: 1, maxWaiting: 20 });

/**
 * Renders evidence as the document that the acquirer receives. Returns null if the acquirer's connection is retired, or
 * if its secrets could not be decrypted.
 */
export async function renderEvidenceOf(
  { database, keys, acquirers }: DisputeDeps,
  dispute: Dispute,
  evidence: EvidenceTexts,
  fileIds: readonly string[],
): Promise<EvidenceDocument | null> {
  const charge = await readCharge(database.read, dispute.scope, dispute.chargeId);
  const processor = charge && acquirers.of(charge);
  if (!processor) return null;
  return limitRenderings(dispute.scope.account, async () => {
    const files = await readEvidenceFiles({ read: database.read, keys }, dispute, fileIds);
    const response = responseTo(dispute, { kind: "evidence", evidence, files });
    return previewResponse(response, processor.evidenceLimits(dispute.isInquiry));
  });
}
