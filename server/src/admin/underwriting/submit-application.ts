import assert from "node:assert/strict";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type ApiRequest, ok } from "../../platform/http/route.ts";
import { transitionApplication } from "./application.ts";
import { applicationAuditEntry } from "./application-audit-entry.ts";
import { applicationState } from "./application-object.ts";
import { uncheckAll } from "./checklist.sql.ts";
import { missingParts } from "./missing-parts.ts";
import { readWholeApplication } from "./read-application.ts";
import { recordTransition } from "./record-transition.ts";
import type { UnderwritingDeps } from "./underwriting-deps.ts";

/** Submits a draft, or the answers to the operator's questions. Rejects an incomplete application. */
export async function submitApplication(deps: UnderwritingDeps, request: ApiRequest) {
  const { id, scope, actor, idempotency } = request;
  // No API key has this permission, because only a person can confirm that an application is true.
  assert(actor.kind === "person", "underwriting: an API key submitted an application");
  const whole = await readWholeApplication(deps, scope.account);
  const { application, sections, documents } = whole;
  const transition = application.status === "draft" ? "submit" : "resubmit";
  const now = deps.clock.now();
  const next = transitionApplication(application, { kind: transition }, now);
  const [first, ...more] = missingParts(sections, documents);
  if (first) {
    const others =
      more.length === 0 ? "" : ` The application's \`missing\` field lists ${more.length} more.`;
    throw new ApiError("application_incomplete", `${first.message}${others}`, {
      param: first.section,
    });
  }
  const response = await deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
    const merchant = await readAccount(tx, scope.account);
    if (!merchant) throw noSuch("account", scope.account);
    if (transition === "resubmit") await uncheckAll(tx, scope.account);
    await recordTransition(tx, merchant, next, {
      transition,
      person: actor.id,
      text: null,
      cause: { id, idempotencyKey: idempotency?.key ?? null },
      now,
      isConnected: deps.isConnected,
    });
    await recordAuditEntry(tx, applicationAuditEntry(request, "application.submitted"), deps.clock);
    return ok(applicationState({ ...whole, application: next }));
  });
  deps.wakeDeliveries();
  return response;
}
