import { evidenceUpload } from "../evidence/evidence-upload.ts";
import { renderResponse } from "../evidence/render-evidence.ts";
import { parseJsonObject, textOf } from "../json-object.ts";
import type { HttpResponse, UnknownOutcome } from "../outcome.ts";
import type { DisputeResponse, DisputeResponseOutcome, DocumentLimits } from "../processor.ts";
import { type CheckoutComRequest, safeId } from "./requests.ts";
import { failureOf, unknown } from "./response-failures.ts";
import { authorization, type CheckoutComAccess, sendOnce } from "./send-request.ts";

/**
 * Returns the limits of the evidence. A file has at most 4 MB (`POST /files` of nas-openapi.json). Checkout.com
 * does not document a maximum number of pages. Mastercard accepts 19 (docs.stripe.com/disputes/best-practices).
 */
export function evidenceLimits(_isInquiry: boolean): DocumentLimits {
  return { maxPages: 19, maxBytes: 4_000_000 };
}

/**
 * Submits the merchant's response to Checkout.com. The evidence is one PDF with all texts and files. Only the last
 * request submits the evidence to the issuer, so the requests before it can be repeated.
 */
export async function respondToDispute(
  access: CheckoutComAccess,
  response: DisputeResponse,
): Promise<DisputeResponseOutcome> {
  const { acquirerReference: dispute, answer, isInquiry } = response;
  if (dispute === null) {
    return {
      kind: "rejected",
      problem: "Florin does not know the ID of the dispute at Checkout.com. Contact the operator.",
    };
  }
  const path = `/disputes/${safeId("dsp", dispute)}`;
  if (answer.kind === "accepted") return submit(access, `${path}/accept`);
  const document = await renderResponse(response, evidenceLimits(isInquiry));
  if (document.kind === "too_long") return { kind: "rejected", problem: document.problem };
  const file = await uploadFile(access, document.pdf);
  if (file.kind !== "uploaded") return file;
  const provided = await provide(access, `${path}/evidence`, file.id);
  return provided ?? submit(access, `${path}/evidence`);
}

/** Uploads the evidence. If the response is lost, the file remains at Checkout.com, and no dispute uses it. */
async function uploadFile(
  access: CheckoutComAccess,
  pdf: Buffer,
): Promise<
  | { readonly kind: "uploaded"; readonly id: string }
  | Extract<DisputeResponseOutcome, { kind: "rejected" | "not_sent" }>
> {
  const { contentType, body } = evidenceUpload(pdf);
  const headers = { ...authorization(access), "content-type": contentType };
  const sent = await access.client.send({ method: "POST", path: "/files", headers, body });
  if (sent.kind !== "response") return { kind: "not_sent" };
  const uploaded = parseJsonObject(sent.response.body);
  const id = sent.response.status === 200 && uploaded ? textOf(uploaded, "id") : null;
  if (id !== null) return { kind: "uploaded", id };
  const rejection = rejectionOf(sent.response);
  return rejection.kind === "unknown" ? { kind: "not_sent" } : rejection;
}

/** Attaches the file to the dispute. Returns null if Checkout.com has attached it. */
async function provide(
  access: CheckoutComAccess,
  path: string,
  file: string,
): Promise<Extract<DisputeResponseOutcome, { kind: "rejected" | "not_sent" }> | null> {
  const body = { additional_evidence_file: safeId("file", file) };
  const result = await sendOnce(access, { method: "PUT", path, idempotencyKey: null, body }, null);
  if (result.kind !== "response") return { kind: "not_sent" };
  if (isSuccess(result.response)) return null;
  const rejection = rejectionOf(result.response);
  return rejection.kind === "unknown" ? { kind: "not_sent" } : rejection;
}

async function submit(access: CheckoutComAccess, path: string): Promise<DisputeResponseOutcome> {
  const request: CheckoutComRequest = { method: "POST", path, idempotencyKey: null, body: null };
  const result = await sendOnce(access, request, null);
  if (result.kind === "not_sent") return { kind: "not_sent" };
  if (result.kind === "unknown") return result;
  return isSuccess(result.response) ? { kind: "received" } : rejectionOf(result.response);
}

function isSuccess({ status }: HttpResponse): boolean {
  return status === 200 || status === 204;
}

function rejectionOf(
  response: HttpResponse,
): Extract<DisputeResponseOutcome, { kind: "rejected" | "not_sent" }> | UnknownOutcome {
  const failure = failureOf(response, null);
  if (failure.kind === "retry_same_request") return { kind: "not_sent" };
  if (failure.kind === "unknown") return failure;
  if (failure.why === "credentials") return { kind: "not_sent" };
  const { acquirerErrorCode: code } = failure;
  return code === null
    ? unknown("the error has no code")
    : {
        kind: "rejected",
        problem: `Checkout.com rejected the response (${code}). Contact the operator.`,
      };
}
