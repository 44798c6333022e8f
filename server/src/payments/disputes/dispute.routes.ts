import {
  Dispute,
  DownloadDisputes,
  ListDisputes,
  SubmitEvidence,
} from "@florin/contract/dispute.ts";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { amountsIn } from "../../identity/accounts/fees-and-limits.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { amountCell, csvLine, timeCell } from "../../platform/http/csv.ts";
import { csvDownload, csvOf, type DownloadLine } from "../../platform/http/download.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { listDisputes, readDispute } from "./dispute.sql.ts";
import { disputeObject, type Dispute as StoredDispute } from "./dispute.ts";
import { assertAcceptable, assertEvidence, assertResponseAllowed } from "./dispute-assertions.ts";
import { type DisputeDeps, transitionDispute } from "./record-dispute.ts";
import {
  acceptDispute,
  type DisputeContext,
  type DisputeTransition,
  submitEvidence,
} from "./transition-dispute.ts";

const disputeColumns: Readonly<Record<string, (dispute: Dispute) => string>> = {
  id: ({ id }) => id,
  created: ({ created }) => timeCell(created),
  status: ({ status }) => status,
  currency: ({ currency }) => currency,
  amount: ({ amount, currency }) => amountCell(amount, currency),
  reason: ({ reason }) => reason,
  is_inquiry: ({ is_inquiry }) => String(is_inquiry),
  evidence_due_by: ({ evidence_due_by }) => timeCell(evidence_due_by),
  charge_id: ({ charge_id }) => charge_id,
};

const disputesHead = csvLine(Object.keys(disputeColumns));

function disputeLine(dispute: StoredDispute): DownloadLine {
  const object = disputeObject(dispute);
  const text = csvLine(Object.values(disputeColumns).map((cell) => cell(object)));
  return { uuid: uuidOf(dispute.id), text };
}

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
      path: "/disputes.csv",
      summary: "Download disputes",
      permission: "disputes:read",
      query: DownloadDisputes,
      response: csvOf("dispute", disputesHead),
      produces: "text/csv",
      status: 200,
      async handle({ scope, query }) {
        const chargeId = namedId("ch", query.charge_id, "charge_id");
        const filter = { chargeId, status: query.status };
        return csvDownload(disputesHead, pageOf(query, "dp"), async (page) => {
          const disputes = await listDisputes(database.read, scope, filter, page);
          await rejectUnknownFilterIds(database.read, scope, disputes, { charge_id: chargeId });
          return disputes.map((dispute) => disputeLine(dispute));
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
      handle: (request) => {
        assertEvidence(request.body);
        return applyTransition(request, "answered", (dispute, context) => {
          assertResponseAllowed(dispute, context.now);
          return submitEvidence(dispute, request.body, context);
        });
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

  async function applyTransition(
    request: ApiRequest,
    action: "answered" | "accepted",
    decide: (dispute: StoredDispute, context: DisputeContext) => DisputeTransition,
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
      const entry = { action: `dispute.${action}`, object: known.id } as const;
      await recordPersonAction(tx, request, entry, deps.clock);
      return ok(disputeObject(changed));
    });
    deps.wakeDeliveries();
    return response;
  }
}

/** Rejects a response that cannot be sent because the acquirer's connection has been retired. */
async function assertRespondable(
  { database, acquirers }: DisputeDeps,
  { scope, chargeId, id }: StoredDispute,
): Promise<void> {
  const charge = await readCharge(database.read, scope, chargeId);
  if (!charge || acquirers.of(charge)) return;
  throw new ApiError(
    "dispute_response_unsupported",
    `The acquirer of '${chargeId}' is no longer connected. Respond to '${id}' in the acquirer's console. The dispute's \`status\` will show the outcome.`,
    { param: "id" },
  );
}

/** Returns the dispute. Throws 404 for an unknown ID. */
export async function findDispute(
  { database }: DisputeDeps,
  scope: Scope,
  text: string,
): Promise<StoredDispute> {
  const id = parseId("dp", text);
  const dispute = id && (await readDispute(database.read, scope, id));
  if (!dispute) {
    const missing = noSuch("dispute", text);
    throw id ? await withArchiveNote(database.read, scope, id, missing) : missing;
  }
  return dispute;
}
