import { maxDocuments, type UploadDocument } from "@florin/contract/application.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type DocumentId, newId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Upload } from "../../platform/http/read-upload.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { ok } from "../../platform/http/route.ts";
import { readMediaType } from "../../platform/http/uploaded-document.ts";
import { encryptSecret } from "../../vault/envelope-encryption.ts";
import { writeSection } from "./application.sql.ts";
import { editApplication } from "./application.ts";
import { applicationAuditEntry } from "./application-audit-entry.ts";
import { applicationState } from "./application-object.ts";
import { readBankAccount } from "./bank-account.ts";
import { deleteDocument, insertDocument } from "./document.sql.ts";
import { documentObject, type StoredDocument } from "./document.ts";
import { encryptSection, readWholeApplication } from "./read-application.ts";
import { keepApplication } from "./record-transition.ts";
import type { Section } from "./sections.ts";
import type { UnderwritingDeps } from "./underwriting-deps.ts";

/** Saves one whole section. If two requests save concurrently, the second is rejected and can be sent again. */
export async function saveSection(deps: UnderwritingDeps, request: ApiRequest, given: Section) {
  const { scope, idempotency } = request;
  const section = given.name === "bank_account" ? withoutSpaces(given) : given;
  const { application, sections, documents } = await readWholeApplication(deps, scope.account);
  const next = editApplication(application);
  // Encrypts before the transaction, because the key provider may be remote.
  const ciphertext = await encryptSection(deps.keys, scope.account, section);
  const changed = { ...sections, [section.name]: section.content };
  return deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
    await keepApplication(tx, next);
    const savedAt = deps.clock.now();
    await writeSection(tx, scope.account, { name: section.name, ciphertext, savedAt });
    // The audit entry contains only the section's name, because the content is encrypted.
    const done = { section: section.name };
    await recordAuditEntry(
      tx,
      applicationAuditEntry(request, "application.saved", done),
      deps.clock,
    );
    return ok(applicationState({ application: next, sections: changed, documents }));
  });
}

function withoutSpaces(section: Extract<Section, { name: "bank_account" }>): Section {
  return { name: "bank_account", content: readBankAccount(section.content) };
}

export async function uploadDocument(
  deps: UnderwritingDeps,
  request: ApiRequest<Upload, UploadDocument>,
) {
  const { scope, query, idempotency } = request;
  const { content } = request.body;
  const mediaType = readMediaType(content, request.body.mediaType);
  const { application, documents } = await readWholeApplication(deps, scope.account);
  const next = editApplication(application);
  if (documents.length >= maxDocuments) {
    throw new ApiError(
      "parameter_invalid",
      `The application has reached the maximum of ${maxDocuments} documents. Delete one first.`,
    );
  }
  const document: StoredDocument = {
    account: scope.account,
    id: newId("doc", deps.clock.now()),
    kind: query.kind,
    fileName: query.file_name,
    mediaType,
    size: content.length,
  };
  const ciphertext = await encryptSecret(deps.keys, encryptedDocument(document), content);
  return deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
    await keepApplication(tx, next);
    await insertDocument(tx, document, ciphertext);
    const done = { document: document.id, kind: document.kind };
    await recordAuditEntry(
      tx,
      applicationAuditEntry(request, "application.document_added", done),
      deps.clock,
    );
    return { ...ok(documentObject(document)), status: 201 };
  });
}

export function encryptedDocument({ account, id }: Pick<StoredDocument, "account" | "id">) {
  return { scope: { account, livemode: true }, id, purpose: "application_document" };
}

export async function removeDocument(deps: UnderwritingDeps, request: ApiRequest, id: DocumentId) {
  const { account } = request.scope;
  const { application, documents } = await readWholeApplication(deps, account);
  const document = documents.find((one) => one.id === id);
  if (!document) throw noSuch("document", id);
  const next = editApplication(application);
  await deps.database.transactionOf(request.scope, async (tx) => {
    await keepApplication(tx, next);
    await deleteDocument(tx, account, id);
    const done = { document: id, kind: document.kind };
    await recordAuditEntry(
      tx,
      applicationAuditEntry(request, "application.document_deleted", done),
      deps.clock,
    );
  });
  return ok({ id, object: "application_document", deleted: true });
}
