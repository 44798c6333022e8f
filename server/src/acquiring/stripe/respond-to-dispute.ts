import type { AcquirerClient } from "../acquirer-client.ts";
import { evidenceUpload } from "../evidence/evidence-upload.ts";
import { renderResponse } from "../evidence/render-evidence.ts";
import { idempotencyKey, type KeyedConnection } from "../idempotency-key.ts";
import { parseJsonObject, textOf } from "../json-object.ts";
import type { HttpResponse, UnknownOutcome } from "../outcome.ts";
import type { DisputeResponse, DisputeResponseOutcome, DocumentLimits } from "../processor.ts";
import { type StripeRequest, safeId } from "./requests.ts";
import { errorOf, failureOf, unknown } from "./responses.ts";
import { headersOf, type StripeAccess, sendOnce } from "./send-request.ts";

export type DisputeAccess = {
  readonly access: StripeAccess;
  readonly filesClient: AcquirerClient;
  readonly connection: KeyedConnection;
};

/**
 * Returns the limits of the evidence. Stripe accepts files with a total of 4.5 MB and 50 pages, or 19 pages for
 * Mastercard (docs.stripe.com/disputes/best-practices). The network is not known here, so the lower number of pages
 * applies.
 */
export function evidenceLimits(_isInquiry: boolean): DocumentLimits {
  return { maxPages: 19, maxBytes: 4_500_000 };
}

/**
 * Submits the merchant's response to Stripe. The evidence is one PDF with all texts and files. The upload of the file
 * has no effect on the dispute and can be repeated. The second request submits the evidence to the issuer.
 */
export async function respondToDispute(
  options: DisputeAccess,
  response: DisputeResponse,
): Promise<DisputeResponseOutcome> {
  const { acquirerReference: dispute, answer, isInquiry } = response;
  if (dispute === null) {
    return {
      kind: "rejected",
      problem: "Florin does not know the ID of the dispute at Stripe. Contact the operator.",
    };
  }
  const path = `/v1/disputes/${safeId("du", dispute)}`;
  if (answer.kind === "accepted") return submit(options, `${path}/close`, dispute, "close", {});
  const document = await renderResponse(response, evidenceLimits(isInquiry));
  if (document.kind === "too_long") return { kind: "rejected", problem: document.problem };
  const file = await uploadFile(options, document.pdf);
  if (file.kind !== "uploaded") return file;
  const evidence = { uncategorized_file: file.id };
  return submit(options, path, dispute, "evidence", { evidence, submit: "true" });
}

async function submit(
  { access, connection }: DisputeAccess,
  path: string,
  dispute: string,
  kind: string,
  body: NonNullable<StripeRequest["body"]>,
): Promise<DisputeResponseOutcome> {
  // A file has a new ID in each attempt, so a repeated submission is a different request with a different key.
  const key = idempotencyKey(connection, kind, `${dispute} ${JSON.stringify(body)}`);
  const request: StripeRequest = { method: "POST", path, idempotencyKey: key, body };
  const result = await sendOnce(access, request, null);
  if (result.kind === "not_sent") return { kind: "not_sent" };
  if (result.kind === "unknown") return result;
  return result.response.status === 200 ? { kind: "received" } : rejectionOf(result.response);
}

/** Uploads the evidence as multipart form data (docs.stripe.com/api/files/create). */
async function uploadFile(
  { access, filesClient }: DisputeAccess,
  pdf: Buffer,
): Promise<
  | { readonly kind: "uploaded"; readonly id: string }
  | Extract<DisputeResponseOutcome, { kind: "rejected" | "not_sent" }>
> {
  const { contentType, body } = evidenceUpload(pdf);
  const headers = { ...headersOf(access), "content-type": contentType };
  const sent = await filesClient.send({ method: "POST", path: "/v1/files", headers, body });
  // If the response was lost, the uploaded file remains at Stripe, and no dispute uses it.
  if (sent.kind !== "response") return { kind: "not_sent" };
  const uploaded = parseJsonObject(sent.response.body);
  const id = sent.response.status === 200 && uploaded ? textOf(uploaded, "id") : null;
  if (id !== null) return { kind: "uploaded", id };
  const rejection = rejectionOf(sent.response);
  return rejection.kind === "unknown" ? { kind: "not_sent" } : rejection;
}

function rejectionOf(
  response: HttpResponse,
): Extract<DisputeResponseOutcome, { kind: "rejected" | "not_sent" }> | UnknownOutcome {
  const error = errorOf(parseJsonObject(response.body));
  const failure = failureOf(response, error);
  if (failure.kind === "retry_same_request") return { kind: "not_sent" };
  if (failure.kind === "unknown") return failure;
  if (failure.why === "credentials") return { kind: "not_sent" };
  const message = error && textOf(error, "message");
  return message === null
    ? unknown("the error has no message")
    : { kind: "rejected", problem: `Stripe rejected the response: ${message}` };
}
