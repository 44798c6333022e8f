import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { AuditAction } from "@florin/contract/audit-actions.ts";
import {
  CheckItem,
  Decide,
  DecideWithReason,
  ListApplications,
  type QueuedApplication,
  RequestMoreInformation,
  WriteNote,
} from "@florin/contract/operator.ts";
import { noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { newId, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { valuesOf } from "../../platform/http/list.ts";
import { ok } from "../../platform/http/route.ts";
import { downloadName } from "../../platform/http/uploaded-document.ts";
import { decryptSecret } from "../../vault/envelope-encryption.ts";
import { listApplications } from "../underwriting/application.sql.ts";
import type {
  Application,
  ApplicationTransition,
  InformationRequest,
} from "../underwriting/application.ts";
import { checkItem, uncheckItem } from "../underwriting/checklist.sql.ts";
import { decideApplication } from "../underwriting/decide-application.ts";
import { readDocument } from "../underwriting/document.sql.ts";
import { encryptedDocument } from "../underwriting/edit-application.ts";
import { insertHistory } from "../underwriting/history.sql.ts";
import { describeReview } from "./application-review.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import {
  accountIn,
  causeOf,
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "./operator-request.ts";
import { proposedResponse } from "./proposal.routes.ts";
import { performOrPropose } from "./propose-action.ts";

const waiting: readonly ApplicationStatus[] = ["submitted", "in_review", "more_information_needed"];

/** Serves the queue of applications and the actions on an application. */
export function applicationReviewRoutes(deps: OperatorDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();

  return [
    route({
      method: "GET",
      path: "/applications",
      query: ListApplications,
      async handle({ query }) {
        const statuses = query.status ? valuesOf(query.status) : waiting;
        const found = await listApplications(database.read, statuses, 200);
        return ok({ data: found.map(queued) });
      },
    }),
    route({
      method: "GET",
      path: "/accounts/:account/application",
      handle: async (request) => ok(await describeReview(deps, accountIn(request))),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/begin_review",
      body: Decide,
      handle: (request) => decide(request, { kind: "begin_review" }, "application.review_started"),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/request_information",
      body: RequestMoreInformation,
      handle: (request) =>
        decide(
          request,
          { kind: "request_information", requests: request.body.requests },
          "application.information_requested",
        ),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/approve",
      body: DecideWithReason,
      async handle(request) {
        requireRecentStepUp(request, clock.now());
        const account = accountIn(request);
        const { version, reason } = request.body;
        const action = { kind: "approve_application", account, version } as const;
        const proposal = await performOrPropose(deps, request, action, reason);
        if (proposal) return proposedResponse(deps, proposal, request);
        return ok(await describeReview(deps, account));
      },
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/reject",
      body: DecideWithReason,
      handle(request) {
        requireRecentStepUp(request, clock.now());
        return decide(request, { kind: "reject", note: request.body.reason }, "account.rejected");
      },
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/reopen",
      body: DecideWithReason,
      handle: (request) => decide(request, { kind: "reopen" }, "application.review_started"),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/notes",
      body: WriteNote,
      async handle(request) {
        const account = accountIn(request);
        await describeReview(deps, account);
        const { caller, body } = request;
        await database.transaction(async (tx) => {
          const note = { account, id: newId("note", clock.now()), transition: null };
          await insertHistory(tx, { ...note, person: caller.person, text: body.text });
          const action = "application.note_added";
          // The entry does not contain the note's text, because notes are internal and members of the account can read
          // the audit log.
          await recordAuditEntry(
            tx,
            operatorAuditEntry(request, { account, action, object: account }),
            clock,
          );
        });
        return ok(await describeReview(deps, account));
      },
    }),
    route({
      method: "POST",
      path: "/accounts/:account/application/checklist",
      body: CheckItem,
      async handle(request) {
        const account = accountIn(request);
        await describeReview(deps, account);
        const { item, checked } = request.body;
        const check = { item, person: request.caller.person, checkedAt: clock.now() };
        await database.transaction(async (tx) => {
          const isChanged = checked
            ? await checkItem(tx, account, check)
            : await uncheckItem(tx, account, item);
          if (!isChanged) return;
          // The entry is in the service-wide log, because the progress of a review is internal and members of the
          // account can read the account's log.
          const entry = operatorAuditEntry(request, {
            account: null,
            action: "application.checklist_changed",
            object: account,
            after: { item, checked },
          });
          await recordAuditEntry(tx, entry, clock);
        });
        return ok(await describeReview(deps, account));
      },
    }),
    route({
      method: "GET",
      path: "/accounts/:account/application/documents/:document",
      handle: (request) => download(request),
    }),
  ];

  async function decide(
    request: OperatorRequest<{ version: number; reason?: string }>,
    transition: ApplicationTransition,
    action: AuditAction,
  ) {
    const account = accountIn(request);
    const { version } = request.body;
    const reason =
      transition.kind === "request_information"
        ? questionsIn(transition.requests)
        : (request.body.reason ?? null);
    await database.transaction(async (tx) => {
      const decided = { account, version, transition, person: request.caller.person, reason };
      const next = await decideApplication(
        tx,
        { ...decided, cause: causeOf(request), isConnected: deps.isConnected },
        clock.now(),
      );
      const after = { application_status: next.status };
      const entry = operatorAuditEntry(request, {
        account,
        action,
        object: account,
        after,
        reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    deps.wakeDeliveries();
    return ok(await describeReview(deps, account));
  }

  /** Sends the document as an attachment, so that no browser renders its content as a page of our origin. */
  async function download(request: OperatorRequest) {
    const account = accountIn(request);
    const text = request.params.document as string;
    const id = parseId("doc", text);
    const found = id && (await readDocument(database.read, account, id));
    if (!found) throw noSuch("document", text);
    const { document, ciphertext } = found;
    const bytes = await decryptSecret(deps.keys, encryptedDocument(document), ciphertext);
    await database.transaction((tx) =>
      recordAuditEntry(
        tx,
        operatorAuditEntry(request, {
          account,
          action: "application.document_read",
          object: document.id,
        }),
        clock,
      ),
    );
    const file = { bytes, mediaType: document.mediaType, name: downloadName(document) };
    return { ...ok({}), file };
  }
}

/** Returns the questions as text for the history, because the application keeps only unanswered questions. */
function questionsIn(requests: readonly InformationRequest[]): string {
  return requests.map(({ section, message }) => `${section}: ${message}`).join("\n");
}

function queued(application: Application & { readonly accountName: string }): QueuedApplication {
  return {
    account: application.account,
    account_name: application.accountName,
    status: application.status,
    submitted_at: "submittedAt" in application ? unixSeconds(application.submittedAt) : null,
    decided_at: "decidedAt" in application ? unixSeconds(application.decidedAt) : null,
  };
}
