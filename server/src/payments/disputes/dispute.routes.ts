import {
  CountDisputes,
  Dispute,
  DownloadDisputes,
  ListDisputes,
  SubmitEvidence,
} from "@florin/contract/dispute.ts";
import { Count, ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { ApiError } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { amountsIn } from "../../identity/accounts/fees-and-limits.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { amountCell, timeCell } from "../../platform/http/csv.ts";
import { csvDownload, csvOf, downloadTable } from "../../platform/http/download.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf, valuesOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { countDisputes, listDisputes, listDisputesByDeadline } from "./dispute.sql.ts";
import { disputeObject, type Dispute as StoredDispute } from "./dispute.ts";
import { assertAcceptable, assertEvidence, assertResponseAllowed } from "./dispute-assertions.ts";
import { assertFilesExist } from "./dispute-file.ts";
import { deleteDraft } from "./evidence-draft.sql.ts";
import { findDispute } from "./find-dispute.ts";
import { type DisputeDeps, transitionDispute } from "./record-dispute.ts";
import { renderEvidenceOf } from "./render-evidence-of.ts";
import {
  acceptDispute,
  type DisputeContext,
  type DisputeTransition,
  submitEvidence,
} from "./transition-dispute.ts";

const download = downloadTable(disputeObject, {
  id: ({ id }) => id,
  created: ({ created }) => timeCell(created),
  status: ({ status }) => status,
  currency: ({ currency }) => currency,
  amount: ({ amount, currency }) => amountCell(amount, currency),
  reason: ({ reason }) => reason,
  is_inquiry: ({ is_inquiry }) => String(is_inquiry),
  evidence_due_by: ({ evidence_due_by }) => timeCell(evidence_due_by),
  charge_id: ({ charge_id }) => charge_id,
});

export function disputeRoutes(deps: DisputeDeps): Route[] {
  const { database } = deps;

  return [
    route({
      method: "GET",
      path: "/disputes/:id",
      summary: "Retrieve a dispute",
      permission: "disputes:read",
      response: Dispute,
      status: 200,
      async handle({ scope, params }) {
        return ok(disputeObject(await findDispute(deps, scope, params.id as string)));
      },
    }),
    route({
      method: "GET",
      path: "/disputes",
      summary: "List disputes",
      permission: "disputes:read",
      query: ListDisputes,
      response: ListOf(Dispute, "/api/v1/disputes"),
      status: 200,
      async handle({ scope, query }) {
        if (query.order_by === "evidence_due_by") return listByDeadline(scope, query);
        const page = pageOf(query, "dp");
        const chargeId = namedId("ch", query.charge_id, "charge_id");
        const filter = { chargeId, status: query.status };
        const disputes = await listDisputes(database.read, scope, filter, page);
        await rejectUnknownFilterIds(database.read, scope, disputes, { charge_id: chargeId });
        return ok(listPage(disputes, page, "/api/v1/disputes", disputeObject));
      },
    }),
    route({
      method: "GET",
      path: "/disputes/count",
      summary: "Count disputes",
      permission: "disputes:read",
      query: CountDisputes,
      response: Count,
      status: 200,
      scans: true,
      async handle({ scope, query }) {
        const page = pageOf(query, "dp");
        const chargeId = namedId("ch", query.charge_id, "charge_id");
        const filter = { chargeId, status: query.status };
        return ok({
          object: "count",
          ...(await countDisputes(database.read, scope, filter, page)),
        });
      },
    }),
    route({
      method: "GET",
      path: "/disputes.csv",
      summary: "Download disputes",
      permission: "disputes:read",
      query: DownloadDisputes,
      response: csvOf("dispute", download.head),
      produces: ["text/csv"],
      status: 200,
      async handle({ scope, query }) {
        const chargeId = namedId("ch", query.charge_id, "charge_id");
        const filter = { chargeId, status: query.status };
        return csvDownload(download.head, pageOf(query, "dp"), async (page) => {
          const disputes = await listDisputes(database.read, scope, filter, page);
          await rejectUnknownFilterIds(database.read, scope, disputes, { charge_id: chargeId });
          return download.pageOf(disputes, page);
        });
      },
    }),
    route({
      method: "POST",
      path: "/disputes/:id/evidence",
      summary: "Submit evidence",
      permission: "disputes:write",
      body: SubmitEvidence,
      response: Dispute,
      status: 200,
      handle: async (request) => {
        assertEvidence(request.body);
        await assertSendable(deps, request);
        return applyTransition(
          request,
          "answered",
          (dispute, context) => {
            assertResponseAllowed(dispute, context.now);
            return submitEvidence(dispute, request.body, context);
          },
          async (tx, dispute) => {
            // Checked again under the dispute's lock, because a file can be deleted until the evidence is submitted.
            await assertFilesExist(tx, dispute, request.body.files ?? []);
            await deleteDraft(tx, dispute);
          },
        );
      },
    }),
    route({
      method: "POST",
      path: "/disputes/:id/accept",
      summary: "Accept a dispute",
      permission: "disputes:write",
      body: NoParameters,
      response: Dispute,
      status: 200,
      handle: (request) =>
        applyTransition(request, "accepted", (dispute, context) => {
          assertAcceptable(dispute);
          return acceptDispute(dispute, context);
        }),
    }),
  ];

  async function listByDeadline(scope: Scope, query: ListDisputes) {
    assertOnlyNeedsResponse(query);
    const page = pageOf(query, "dp");
    const chargeId = namedId("ch", query.charge_id, "charge_id");
    const cursor = {
      limit: page.limit,
      after: query.starting_after === undefined ? null : parseId("dp", query.starting_after),
      before: query.ending_before === undefined ? null : parseId("dp", query.ending_before),
    };
    const disputes = await listDisputesByDeadline(database.read, scope, { chargeId }, cursor);
    await rejectUnknownFilterIds(database.read, scope, disputes, { charge_id: chargeId });
    return ok(listPage(disputes, page, "/api/v1/disputes", disputeObject));
  }

  async function applyTransition(
    request: ApiRequest,
    action: "answered" | "accepted",
    decide: (dispute: StoredDispute, context: DisputeContext) => DisputeTransition,
    alsoWrite?: (tx: Tx, dispute: StoredDispute) => Promise<void>,
  ) {
    const { scope, idempotency, params, id } = request;
    const known = await findDispute(deps, scope, params.id as string);
    await assertRespondable(deps, known);
    const account = await deps.accounts.get(scope.account);
    const feeMinor = amountsIn(account, known.price.currency).disputeFee;
    const cause = { id, idempotencyKey: idempotency?.key ?? null };
    const response = await deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      const context = { feeMinor, now: deps.clock.now(), cause };
      const changed = await transitionDispute(tx, known, context, decide);
      await alsoWrite?.(tx, changed);
      const entry = { action: `dispute.${action}`, object: known.id } as const;
      await recordPersonAction(tx, request, entry, deps.clock);
      return ok(disputeObject(changed));
    });
    deps.wakeDeliveries();
    return response;
  }
}

/** Rejects filters that do not apply to the list of disputes that need a response. */
function assertOnlyNeedsResponse({ status, created }: ListDisputes): void {
  if (created !== undefined) {
    throw new ApiError(
      "parameters_exclusive",
      "Send either `created` or `order_by=evidence_due_by`. Got both.",
      { param: "created" },
    );
  }
  if (status === undefined || valuesOf(status).every((one) => one === "needs_response")) return;
  throw new ApiError(
    "parameters_exclusive",
    "`status` must be `needs_response` with `order_by=evidence_due_by`, which lists only disputes that need a response. Leave `status` out.",
    { param: "status" },
  );
}

/**
 * Rejects evidence whose files do not exist, or which exceeds the acquirer's limits with its files. Evidence without
 * files is not checked against the limits, because its texts nearly always fit. If they do not, the acquirer's response
 * reports the problem.
 */
async function assertSendable(
  deps: DisputeDeps,
  { scope, params, body }: ApiRequest<SubmitEvidence>,
): Promise<void> {
  const { files: ids = [], ...evidence } = body;
  if (ids.length === 0) return;
  const dispute = await findDispute(deps, scope, params.id as string);
  await assertFilesExist(deps.database.read, dispute, ids);
  const document = await renderEvidenceOf(deps, dispute, evidence, ids);
  if (document?.kind !== "too_long") return;
  throw new ApiError("parameter_invalid", document.problem, { param: "files" });
}

/** Rejects a response that cannot be sent because the acquirer's connection has been retired. */
async function assertRespondable(
  { database, acquirers }: DisputeDeps,
  { scope, chargeId, id }: StoredDispute,
): Promise<void> {
  const charge = await readCharge(database.read, scope, chargeId);
  if (!charge || !acquirers.isRetired(charge)) return;
  throw new ApiError(
    "dispute_response_unsupported",
    `The acquirer of '${chargeId}' is no longer connected. Contact the operator, who can respond to '${id}' in the acquirer's console. The dispute's \`status\` will show the outcome.`,
    { param: "id" },
  );
}
