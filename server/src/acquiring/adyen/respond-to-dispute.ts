import type { AcquirerClient } from "../acquirer-client.ts";
import type { AcquirerSecret } from "../connections/connection-secrets.ts";
import { renderResponse } from "../evidence/render-evidence.ts";
import type { DisputeResponse, DisputeResponseOutcome } from "../processor.ts";
import {
  type AdyenDispute,
  acceptRequest,
  chooseDefense,
  type DisputeServiceOutcome,
  type DisputeServiceRequest,
  defendRequest,
  defenseReasonsRequest,
  disputeServiceOutcome,
  documentLimits,
  supplyRequest,
} from "./dispute-service.ts";

export type DisputeServiceOptions = {
  readonly client: AcquirerClient;
  /** The path of DisputeService on the client's host. */
  readonly basePath: string;
  readonly apiKey: AcquirerSecret;
  readonly merchantAccount: string;
};

/**
 * Submits the merchant's response to Adyen. Evidence takes three requests. The first returns the defenses that apply,
 * the second stores the document, and the third submits the defense to the network. Only the first two can be repeated
 * safely.
 */
export async function respondToDispute(
  options: DisputeServiceOptions,
  response: DisputeResponse,
): Promise<DisputeResponseOutcome> {
  const { acquirerReference: reference, answer } = response;
  if (reference === null) {
    return {
      kind: "rejected",
      problem: "Florin does not know the reference of the dispute at Adyen. Contact the operator.",
    };
  }
  const dispute: AdyenDispute = { merchantAccount: options.merchantAccount, reference };
  if (answer.kind === "accepted") return final(await send(options, acceptRequest(dispute)));
  return submitEvidence(options, dispute, response);
}

async function submitEvidence(
  options: DisputeServiceOptions,
  dispute: AdyenDispute,
  response: DisputeResponse,
): Promise<DisputeResponseOutcome> {
  const document = await renderResponse(response, documentLimits(response.isInquiry));
  if (document.kind === "too_long") return { kind: "rejected", problem: document.problem };
  const reasons = await send(options, defenseReasonsRequest(dispute));
  if (reasons.kind !== "done") return withoutEffect(reasons);
  const defense = chooseDefense(reasons.body, response.reason);
  if (defense.kind === "rejected") return defense;
  const { code, documentTypes } = defense;
  if (documentTypes.length > 0) {
    // If this request is repeated, the new document replaces the earlier one.
    const supplied = await send(options, supplyRequest(dispute, documentTypes, document.pdf));
    if (supplied.kind !== "done") return withoutEffect(supplied);
  }
  return final(await send(options, defendRequest(dispute, code)));
}

async function send(
  { client, basePath, apiKey }: DisputeServiceOptions,
  { path, body }: DisputeServiceRequest,
): Promise<DisputeServiceOutcome> {
  const result = await client.send({
    method: "POST",
    path: `${basePath}${path}`,
    headers: { "content-type": "application/json", "x-api-key": apiKey.reveal() },
    body: JSON.stringify(body),
  });
  if (result.kind === "not_sent") return { kind: "not_sent" };
  return result.kind === "unknown" ? result : disputeServiceOutcome(result.response);
}

/** Returns the outcome of the request that submits the response to the network. */
function final(outcome: DisputeServiceOutcome): DisputeResponseOutcome {
  return outcome.kind === "done" ? { kind: "received" } : outcome;
}

/**
 * Returns the outcome of a response to the dispute if a request before the submission failed. An unknown outcome
 * becomes `not_sent`, because nothing was sent to the network and the failed request can be repeated.
 */
function withoutEffect(
  outcome: Exclude<DisputeServiceOutcome, { kind: "done" }>,
): DisputeResponseOutcome {
  return outcome.kind === "rejected" ? outcome : { kind: "not_sent" };
}
