import {
  DisputeFile,
  DisputeFileDeleted,
  FileContent,
  ListDisputeFiles,
  maxDisputeFileBytes,
  maxDisputeFiles,
  maxTestDisputeFiles,
  UploadDisputeFile,
} from "@florin/contract/dispute.ts";
import { documentMediaTypes } from "@florin/contract/document-media-types.ts";
import { ListOf } from "@florin/contract/list.ts";
import { inspectEvidenceFile } from "../../acquiring/evidence/render-evidence.ts";
import { ApiError, noSuch, noSuchParameter } from "../../core/api-error.ts";
import { newId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { lockAccount } from "../../identity/accounts/account.sql.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { createMerchantConcurrency } from "../../platform/http/merchant-concurrency.ts";
import { created, ok, okFile, type Route, route, uploadRoute } from "../../platform/http/route.ts";
import { downloadName, readMediaType } from "../../platform/http/uploaded-document.ts";
import { decryptSecret, encryptSecret } from "../../vault/envelope-encryption.ts";
import { readDispute } from "./dispute.sql.ts";
import { assertResponseAllowed } from "./dispute-assertions.ts";
import {
  deleteDisputeFile,
  type EncryptedDisputeFile,
  insertDisputeFile,
  listDisputeFilePage,
  listDisputeFiles,
  makeRoomForTestFile,
  readDisputeFile,
} from "./dispute-file.sql.ts";
import { disputeFileObject, encryptedFile } from "./dispute-file.ts";
import { type DisputeDeps, lockDispute } from "./record-dispute.ts";

const path = "/dispute_files";

/**
 * Limits how many of one merchant's files wait for inspection. All merchants share one thread. A file can occupy it for
 * seconds, and each waiting file is held in memory.
 */
const limitInspections = createMerchantConcurrency({
  maxRunning: 1,
  maxWaiting: maxDisputeFiles - 1,
});

/** Returns the routes of the files that merchants upload as evidence. */
export function disputeFileRoutes(deps: DisputeDeps): Route[] {
  const { database, clock, keys } = deps;

  return [
    route({
      method: "GET",
      path,
      summary: "List dispute files",
      permission: "disputes:read",
      query: ListDisputeFiles,
      response: ListOf(DisputeFile, `/api/v1${path}`),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "file");
        const disputeId = namedId("dp", query.dispute_id, "dispute_id");
        const files = await listDisputeFilePage(database.read, scope, disputeId, page);
        await rejectUnknownFilterIds(database.read, scope, files, { dispute_id: disputeId });
        return ok(listPage(files, page, `/api/v1${path}`, disputeFileObject));
      },
    }),
    uploadRoute({
      method: "POST",
      path,
      summary: "Upload a dispute file",
      permission: "disputes:write",
      query: UploadDisputeFile,
      upload: { mediaTypes: documentMediaTypes, maxBytes: maxDisputeFileBytes },
      response: DisputeFile,
      status: 201,
      async handle(request) {
        const { scope, query, body, idempotency } = request;
        const { content } = body;
        const mediaType = readMediaType(content, body.mediaType);
        const disputeId = parseId("dp", query.dispute_id);
        const known = disputeId && (await readDispute(database.read, scope, disputeId));
        if (!known) throw noSuchParameter("dispute", query.dispute_id, "dispute_id");
        const inspected = await limitInspections(scope.account, () =>
          inspectEvidenceFile({ mediaType, content }),
        );
        if (inspected.kind === "unreadable") {
          throw new ApiError("parameter_invalid", inspected.problem, { param: "body" });
        }
        const file = {
          scope,
          id: newId("file", clock.now()),
          disputeId: known.id,
          fileName: downloadName({ fileName: query.file_name, mediaType }),
          mediaType,
          size: content.length,
          pages: inspected.pages,
        };
        const ciphertext = await encryptSecret(keys, encryptedFile(file), content);
        return deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          // Locks the account, because concurrent uploads to different disputes could together exceed the limit of test
          // mode.
          if (!scope.livemode) await lockAccount(tx, scope.account);
          const dispute = await lockDispute(tx, known);
          assertResponseAllowed(dispute, clock.now());
          if ((await listDisputeFiles(tx, dispute)).length >= maxDisputeFiles) throw tooMany();
          if (
            !scope.livemode &&
            !(await makeRoomForTestFile(tx, scope.account, maxTestDisputeFiles))
          ) {
            throw tooManyInTestMode();
          }
          await insertDisputeFile(tx, { ...file, ciphertext });
          const { fileName, size } = file;
          const after = { dispute: dispute.id, file_name: fileName, media_type: mediaType, size };
          const entry = { action: "dispute.file_uploaded", object: file.id, after } as const;
          await recordPersonAction(tx, request, entry, clock);
          return created(disputeFileObject(file));
        });
      },
    }),
    route({
      method: "GET",
      path: `${path}/:id/content`,
      summary: "Download a dispute file",
      permission: "disputes:read",
      response: FileContent,
      produces: documentMediaTypes,
      status: 200,
      async handle(request) {
        const file = await findFile(request.scope, request.params.id as string);
        const bytes = await decryptSecret(keys, encryptedFile(file), file.ciphertext);
        await database.transactionOf(request.scope, (tx) =>
          recordPersonAction(
            tx,
            request,
            { action: "dispute.file_opened", object: file.id, after: { dispute: file.disputeId } },
            clock,
          ),
        );
        return okFile({ bytes, mediaType: file.mediaType, name: file.fileName });
      },
    }),
    route({
      method: "DELETE",
      path: `${path}/:id`,
      summary: "Delete a dispute file",
      permission: "disputes:write",
      response: DisputeFileDeleted,
      status: 200,
      async handle(request) {
        const file = await findFile(request.scope, request.params.id as string);
        const known = await readDispute(database.read, request.scope, file.disputeId);
        if (!known) throw noSuch("dispute file", file.id);
        await database.transactionOf(request.scope, async (tx) => {
          const dispute = await lockDispute(tx, known);
          assertResponseAllowed(dispute, clock.now());
          await deleteDisputeFile(tx, file);
          const before = { dispute: dispute.id, file_name: file.fileName };
          const entry = { action: "dispute.file_deleted", object: file.id, before } as const;
          await recordPersonAction(tx, request, entry, clock);
        });
        return ok({ id: file.id, object: "dispute_file", deleted: true });
      },
    }),
  ];

  async function findFile(scope: Scope, text: string): Promise<EncryptedDisputeFile> {
    const id = parseId("file", text);
    const file = id && (await readDisputeFile(database.read, scope, id));
    if (!file) throw noSuch("dispute file", text);
    return file;
  }
}

function tooManyInTestMode(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The account has the maximum of ${maxTestDisputeFiles} files in test mode, and all belong to open disputes. Delete one of them or close a dispute first.`,
    { param: "dispute_id" },
  );
}

function tooMany(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The dispute has the maximum of ${maxDisputeFiles} files. Delete one first.`,
    { param: "dispute_id" },
  );
}
