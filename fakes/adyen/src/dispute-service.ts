import { isObject, type JsonObject } from "@florin/shared-fake/json-object.ts";
import {
  type Dispute,
  defenseReasons,
  hasDocument,
  isDefendable,
  isSatisfied,
  type SuppliedDocument,
} from "./dispute.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Platform } from "./platform.ts";
import type { Reply } from "./reply.ts";
import { textField } from "./request-fields.ts";
import { defend } from "./run-dispute.ts";
import { invalid, invalidMerchantAccount } from "./service-error.ts";

/** The path of DisputeService v30. The name of the operation is appended. */
export const disputeServicePath = "/ca/services/DisputeService/v30/";

type Operation = (platform: Platform, dispute: Dispute, body: JsonObject) => Result;

/** The outcome of an operation. A problem is returned with status 200 as `disputeServiceResult.errorMessage`. */
type Result =
  | { readonly fields?: JsonObject; readonly notifications?: readonly string[] }
  | { readonly problem: string };

const operations: Readonly<Record<string, Operation>> = {
  retrieveApplicableDefenseReasons: retrieveReasons,
  supplyDefenseDocument: supplyDocuments,
  deleteDisputeDefenseDocument: deleteDocument,
  defendDispute,
  acceptDispute,
};

export function isDisputeOperation(name: string): boolean {
  return Object.hasOwn(operations, name);
}

/** Handles an operation of DisputeService v30. */
export function handleDisputeOperation(
  platform: Platform,
  accounts: readonly MerchantAccount[],
  name: string,
  body: JsonObject,
): Reply {
  const merchantAccount = required(body, "merchantAccountCode");
  if (!accounts.some((account) => account.merchantAccount === merchantAccount)) {
    throw invalidMerchantAccount();
  }
  const dispute = platform.state.disputes.get(required(body, "disputePspReference"));
  const operation = operations[name] as Operation;
  const result: Result =
    dispute?.merchantAccount === merchantAccount
      ? operation(platform, dispute, body)
      : { problem: "Dispute not found" };
  if ("problem" in result) {
    return reply({ disputeServiceResult: { success: false, errorMessage: result.problem } }, []);
  }
  const fields = { ...result.fields, disputeServiceResult: { success: true } };
  return reply(fields, result.notifications ?? []);
}

function reply(body: JsonObject, notifications: readonly string[]): Reply {
  return { status: 200, body, complete: () => notifications, afterMs: 0, notifiesEarly: false };
}

function required(body: JsonObject, name: string): string {
  const text = textField(body, name, 1000);
  if (!text) throw invalid("702", `Required field '${name}' is not provided.`);
  return text;
}

function retrieveReasons(_platform: Platform, dispute: Dispute): Result {
  const reasons = applicableTo(dispute).map((reason) => ({
    defenseReasonCode: reason.code,
    satisfied: isSatisfied(dispute, reason),
    defenseDocumentTypes: Object.entries(reason.documents).map(([typeCode, level]) => ({
      defenseDocumentTypeCode: typeCode,
      requirementLevel: level,
      available: hasDocument(dispute, typeCode),
    })),
  }));
  return { fields: { defenseReasons: reasons } };
}

function applicableTo({ applicableReasons }: Dispute) {
  return defenseReasons.filter(({ code }) => applicableReasons.includes(code));
}

const megabyte = 1024 * 1024;

/** The accepted formats with their size limits (docs.adyen.com/risk-management/disputes-api). */
const maxBytes: Readonly<Record<string, number>> = {
  "application/pdf": 2 * megabyte,
  "image/jpg": 10 * megabyte,
  "image/jpeg": 10 * megabyte,
  "image/tiff": 10 * megabyte,
};

function supplyDocuments(platform: Platform, dispute: Dispute, body: JsonObject): Result {
  const { defenseDocuments } = body;
  if (!Array.isArray(defenseDocuments) || defenseDocuments.length === 0) {
    throw invalid("702", "Required field 'defenseDocuments' is not provided.");
  }
  if (!isDefendable(dispute, platform.clock.nowMs())) return notDefendable;
  const documents: SuppliedDocument[] = [];
  for (const document of defenseDocuments) {
    if (!isObject(document)) throw invalid("702", "Field 'defenseDocuments' is not valid.");
    const supplied = readDocument(document);
    if ("problem" in supplied) return supplied;
    documents.push(supplied);
  }
  const replaced = new Set(documents.map(({ typeCode }) => typeCode));
  const kept = dispute.documents.filter(({ typeCode }) => !replaced.has(typeCode));
  const changed = { ...dispute, documents: [...kept, ...documents] };
  platform.state.put("disputes", dispute.pspReference, changed);
  return {};
}

const notDefendable = { problem: "The dispute cannot be defended" };

/** Checks a document. Returns its facts without its content, which is not stored. */
function readDocument(document: JsonObject): SuppliedDocument | { problem: string } {
  const typeCode = required(document, "defenseDocumentTypeCode");
  const contentType = required(document, "contentType");
  const content = document.content;
  if (typeof content !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(content)) {
    throw invalid("702", "Field 'content' is not base64.");
  }
  const bytes = Buffer.byteLength(content, "base64");
  const limit = maxBytes[contentType.toLowerCase()];
  if (limit === undefined) return { problem: `Content type ${contentType} is not supported` };
  if (bytes > limit) return { problem: `The document is larger than ${limit} bytes` };
  if (contentType === "application/pdf" && !Buffer.from(content, "base64").includes("%PDF-")) {
    return { problem: "The document is not a PDF" };
  }
  if (!defenseReasons.some(({ documents }) => Object.hasOwn(documents, typeCode))) {
    return { problem: `Unknown defense document type ${typeCode}` };
  }
  return { typeCode, contentType, bytes };
}

function deleteDocument(platform: Platform, dispute: Dispute, body: JsonObject): Result {
  const typeCode = required(body, "defenseDocumentType");
  if (!hasDocument(dispute, typeCode)) return { problem: "The document was not supplied" };
  const documents = dispute.documents.filter((document) => document.typeCode !== typeCode);
  platform.state.put("disputes", dispute.pspReference, { ...dispute, documents });
  return {};
}

function defendDispute(platform: Platform, dispute: Dispute, body: JsonObject): Result {
  const code = required(body, "defenseReasonCode");
  const reason = applicableTo(dispute).find((candidate) => candidate.code === code);
  if (!reason) return { problem: `Unknown defense reason ${code}` };
  if (!isDefendable(dispute, platform.clock.nowMs())) return notDefendable;
  if (!isSatisfied(dispute, reason)) return { problem: "A required document is missing" };
  return { notifications: defend(platform, dispute, code) };
}

function acceptDispute(platform: Platform, dispute: Dispute): Result {
  if (!isDefendable(dispute, platform.clock.nowMs())) return notDefendable;
  platform.state.put("disputes", dispute.pspReference, { ...dispute, status: "Accepted" });
  return {};
}
