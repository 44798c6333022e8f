import type { DisputeReason } from "@florin/contract/dispute.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json-object.ts";
import type { HttpResponse, UnknownOutcome } from "../outcome.ts";
import type { DocumentLimits } from "../processor.ts";

/**
 * The requests and responses of Adyen's DisputeService v30. Fields: DisputeService-v30.json in the public repository
 * Adyen/adyen-openapi. The service has no idempotency keys.
 */
export type DisputeServiceRequest = {
  /** The path below the base URL. */
  readonly path: string;
  readonly body: JsonObject;
};

/** The dispute that a request is about. */
export type AdyenDispute = {
  readonly merchantAccount: string;
  /** The `pspReference` of the dispute's notifications. */
  readonly reference: string;
};

/** Returns the base URL. Its host differs from that of the payments API and has no company prefix. */
export function disputeServiceUrl(live: boolean): string {
  return `https://ca-${live ? "live" : "test"}.adyen.com/ca/services/DisputeService/v30`;
}

export function defenseReasonsRequest(dispute: AdyenDispute): DisputeServiceRequest {
  return { path: "/retrieveApplicableDefenseReasons", body: keyOf(dispute) };
}

/** Supplies the same PDF for each of the document types. */
export function supplyRequest(
  dispute: AdyenDispute,
  documentTypes: readonly string[],
  pdf: Buffer,
): DisputeServiceRequest {
  const content = pdf.toString("base64");
  const defenseDocuments = documentTypes.map((defenseDocumentTypeCode) => ({
    defenseDocumentTypeCode,
    contentType: "application/pdf",
    content,
  }));
  return { path: "/supplyDefenseDocument", body: { ...keyOf(dispute), defenseDocuments } };
}

export function defendRequest(
  dispute: AdyenDispute,
  defenseReasonCode: string,
): DisputeServiceRequest {
  return { path: "/defendDispute", body: { ...keyOf(dispute), defenseReasonCode } };
}

export function acceptRequest(dispute: AdyenDispute): DisputeServiceRequest {
  return { path: "/acceptDispute", body: keyOf(dispute) };
}

function keyOf({ merchantAccount, reference }: AdyenDispute) {
  return { merchantAccountCode: merchantAccount, disputePspReference: reference };
}

export type DisputeServiceOutcome =
  | { readonly kind: "done"; readonly body: JsonObject }
  | { readonly kind: "rejected"; readonly problem: string }
  /** Adyen did not process the request. */
  | { readonly kind: "not_sent" }
  | UnknownOutcome;

/**
 * The HTTP statuses with which Adyen rejects a request (the responses of each operation in DisputeService-v30.json).
 */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 422]);

/** Returns the outcome of a response. If a dispute forbids the request, Adyen returns 200 and `success: false`. */
export function disputeServiceOutcome({ status, body: text }: HttpResponse): DisputeServiceOutcome {
  const body = parseJsonObject(text);
  if (status === 429) return { kind: "not_sent" };
  if (rejectedStatuses.has(status)) return rejected(rejectionOf(status, body));
  if (status !== 200) return unknown(`the response has status ${status}`);
  const result = body?.disputeServiceResult;
  if (!body || !isJsonObject(result)) return unknown("the response has no result");
  if (result.success === true) return { kind: "done", body };
  if (result.success !== false) return unknown("the result is neither a success nor a failure");
  return rejected(
    textOf(result.errorMessage) ??
      "Adyen rejected the request about this dispute and gave no reason. Contact the operator.",
  );
}

function rejectionOf(status: number, body: JsonObject | null): string {
  if (status === 401 || status === 403) {
    return `The service's credential at Adyen has no access to disputes (status ${status}). Contact the operator.`;
  }
  return (
    textOf(body?.message) ??
    `Adyen rejected the request with status ${status}. Contact the operator.`
  );
}

/** The maximum length of a message that is shown to the merchant. */
const maxMessageLength = 500;

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, maxMessageLength) : null;
}

/** The defense that is submitted: its reason and the types of the documents that it needs. */
export type Defense =
  | { readonly kind: "defense"; readonly code: string; readonly documentTypes: readonly string[] }
  | { readonly kind: "rejected"; readonly problem: string };

/** The defense reasons that only supply material and make no specific claim, in the order of preference. */
const generalReasons = ["SupplyDefenseMaterial", "AdditionalInformation", "InvalidChargeback"];

/**
 * The defense reasons for our dispute reasons, in the order of preference. Adyen returns the defense reasons that apply
 * to a dispute, depending on the network and the network's reason code (docs.adyen.com/risk-management/disputes-api). A
 * reason is listed only if the merchant's evidence can support it in every dispute with that reason. Reasons that state
 * a specific fact, such as a refund or a delivery to a verified address, are not listed.
 */
export const defenseReasons: Readonly<Record<DisputeReason, readonly string[]>> = {
  fraudulent: ["CompellingEvidence", ...generalReasons],
  product_not_received: [
    "GoodsOrServicesProvided",
    "MerchandiseReceived",
    "ServicesProvided",
    ...generalReasons,
  ],
  product_unacceptable: ["GoodsWereAsDescribed", ...generalReasons],
  duplicate: ["PurchaseProperlyPosted", ...generalReasons],
  subscription_canceled: ["ServicesProvidedAfterCancellation", ...generalReasons],
  credit_not_processed: ["CreditOrCancellationPolicyProperlyDisclosed", ...generalReasons],
  unrecognized: ["CompellingEvidence", ...generalReasons],
  general: generalReasons,
};

/** Chooses a defense from the response of `/retrieveApplicableDefenseReasons`. */
export function chooseDefense(body: JsonObject, reason: DisputeReason): Defense {
  const offered = new Map<string, JsonObject>();
  for (const one of Array.isArray(body.defenseReasons) ? body.defenseReasons : []) {
    const code = isJsonObject(one) ? textOf(one.defenseReasonCode) : null;
    if (code !== null) offered.set(code, one);
  }
  if (offered.size === 0)
    return rejected(
      "Adyen offers no defense for this dispute. Accept the dispute, or contact the operator.",
    );
  for (const code of defenseReasons[reason]) {
    const one = offered.get(code);
    if (one) return { kind: "defense", code, documentTypes: documentTypesOf(one) };
  }
  const codes = [...offered.keys()].join(", ");
  return rejected(
    `None of the defense reasons that Adyen offers fits this dispute (${codes}). Contact the operator, who can respond in Adyen's Customer Area.`,
  );
}

/**
 * Returns the document types to supply: every `Required` type, and one of the `OneOrMore` types. If the defense has
 * neither, returns one alternative or optional type. An alternative type is a last resort, because Adyen must enable it
 * for the account.
 */
function documentTypesOf({ defenseDocumentTypes }: JsonObject): readonly string[] {
  const types = (Array.isArray(defenseDocumentTypes) ? defenseDocumentTypes : []).filter(
    isJsonObject,
  );
  const withLevel = (level: string): string[] =>
    types.flatMap(({ requirementLevel, defenseDocumentTypeCode: code }) =>
      requirementLevel === level && typeof code === "string" ? [code] : [],
    );
  const needed = [...withLevel("Required"), ...withLevel("OneOrMore").slice(0, 1)];
  if (needed.length > 0) return needed;
  return [...withLevel("AlternativeRequired"), ...withLevel("Optional")].slice(0, 1);
}

/**
 * The limits of a document: 2 MB for a PDF, 4 pages for a request for information, and 19 pages at Mastercard
 * (docs.adyen.com/risk-management/understanding-disputes/defense-requirements).
 */
export function documentLimits(isInquiry: boolean): DocumentLimits {
  return { maxPages: isInquiry ? 4 : 19, maxBytes: 2_000_000 };
}

function rejected(problem: string): { readonly kind: "rejected"; readonly problem: string } {
  return { kind: "rejected", problem };
}

function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}
