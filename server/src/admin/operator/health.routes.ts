import {
  ChargeMarkedFailed,
  type CheckerRun,
  InquiriesRestarted,
  ReadFigures,
  WithReason,
} from "@florin/contract/operator.ts";
import { listConnections } from "../../acquiring/connections/connection.sql.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, newId, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { insertRun, listRuns } from "../../insights/monitoring/checker-run.sql.ts";
import { listGivenUp } from "../../insights/monitoring/health.sql.ts";
import type { Charge } from "../../payments/charges/charge.ts";
import { failCharge } from "../../payments/inquiries/fail-charge.ts";
import { restartInquiry } from "../../payments/inquiries/restart-inquiry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import { statusOf } from "./checker-run.ts";
import { describeHealth } from "./health.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import {
  accountIn,
  causeOf,
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "./operator-request.ts";
import { createFiguresCache } from "./payment-metrics.ts";
import { describeProcessors } from "./processors.ts";
import { readEmailAddresses } from "./team.sql.ts";

/**
 * The maximum number of inquiries that one request restarts. Each restart takes a few milliseconds. Restarts run
 * sequentially, so that payments are not delayed.
 */
const maxRestartedInquiries = 200;

const maxRunsListed = 20;

/** Serves the state of the service: queues, failures, checker runs and the metrics of all merchants. */
export function healthRoutes(deps: OperatorDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();
  const figures = createFiguresCache(deps);

  return [
    route({
      method: "GET",
      path: "/health",
      handle: async () => ok(await describeHealth(deps, clock.now())),
    }),
    route({
      method: "POST",
      path: "/unknown_outcomes/restart",
      response: InquiriesRestarted,
      handle: async (request) => ok(await restartInquiries(request)),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/charges/:charge/fail",
      body: WithReason,
      response: ChargeMarkedFailed,
      handle: async (request) => ok(await markFailed(request)),
    }),
    route({
      method: "GET",
      path: "/figures",
      query: ReadFigures,
      handle: async ({ query }) => ok(await figures(query)),
    }),
    route({
      method: "GET",
      path: "/processors",
      async handle() {
        const stored = await listConnections(database.read);
        const connections = stored.map(({ connection }) => connection);
        return ok({ data: describeProcessors({ ...deps, connections }) });
      },
    }),
    route({
      method: "GET",
      path: "/checker_runs",
      handle: async () => ok({ data: await runs() }),
    }),
    route({
      method: "POST",
      path: "/checker_runs",
      async handle(request) {
        await database.transaction(async (tx) => {
          const id = newId("run", clock.now());
          if (!(await insertRun(tx, id, request.caller.person))) return;
          const done = { account: null, action: "service.verified", object: id } as const;
          await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
        });
        deps.wakeChecker();
        return ok({ data: await runs() });
      },
    }),
  ];

  /**
   * Restarts the inquiries of payments in manual review. Requires a recent step-up, because at an acquirer without
   * status inquiries Florin cancels the payments instead.
   */
  async function restartInquiries(request: OperatorRequest): Promise<InquiriesRestarted> {
    requireRecentStepUp(request, clock.now());
    const found = await listGivenUp(database.read, maxRestartedInquiries + 1);
    const taken = found.slice(0, maxRestartedInquiries);
    if (taken.length === 0) return { restarted: 0, has_more: false };
    const done = { account: null, action: "service.inquiries_restarted", object: null } as const;
    await database.transaction((tx) =>
      recordAuditEntry(
        tx,
        operatorAuditEntry(request, { ...done, after: { outcomes: taken.length } }),
        clock,
      ),
    );
    let restarted = 0;
    for (const { account, livemode, id } of taken) {
      if (await restartInquiry(deps.inquiries, { account, livemode }, id)) restarted++;
    }
    return { restarted, has_more: found.length > taken.length };
  }

  /** Fails a charge in manual review. Searches both modes, because the request does not name the mode of the charge. */
  async function markFailed(request: OperatorRequest<WithReason>): Promise<ChargeMarkedFailed> {
    requireRecentStepUp(request, clock.now());
    const account = accountIn(request);
    const text = request.params.charge as string;
    const id = parseId("ch", text);
    if (!id) throw noSuch("charge", text);
    const { charges, operations } = deps.inquiries;
    for (const livemode of [true, false]) {
      let isMarked = false;
      const scope = { account, livemode };
      const charge = await failCharge(
        charges,
        { scope, id },
        causeOf(request),
        async (tx, failed) => {
          const { amountMinor, currency } = failed.price;
          const done = {
            account,
            action: "charge.marked_failed",
            object: id,
            before: { status: "processing", pending_reason: "manual_review" },
            after: { status: failed.status, amount: amountMinor, currency },
            reason: request.body.reason,
          } as const;
          await recordAuditEntry(tx, { ...operatorAuditEntry(request, done), livemode }, clock);
          isMarked = true;
        },
      );
      if (!charge) continue;
      if (!isMarked) throw notInReview(charge);
      operations.wakeDeliveries();
      return { id, livemode, status: "failed" };
    }
    throw noSuch("charge", text);
  }

  async function runs(): Promise<CheckerRun[]> {
    const stored = await listRuns(database.read, "consistency", maxRunsListed);
    const names = await readEmailAddresses(
      database.read,
      stored.flatMap(({ requestedBy }) => requestedBy ?? []),
    );
    const now = clock.now();
    return stored.map((run) => ({
      id: run.id,
      requested_at: unixSeconds(createdAt(run.id)),
      requested_by: run.requestedBy && (names.get(run.requestedBy) ?? run.requestedBy),
      status: statusOf(run, now),
      ended_at: run.endedAt && unixSeconds(run.endedAt),
      error: run.error,
      report: run.report,
    }));
  }
}

function notInReview(charge: Charge): ApiError {
  const pendingReason = charge.status === "processing" ? charge.pendingReason : null;
  const reason = pendingReason ? ` and the \`pending_reason\` '${pendingReason}'` : "";
  return new ApiError(
    "status_transition_invalid",
    `The charge '${charge.id}' must have the status 'processing' and the \`pending_reason\` 'manual_review'. It has the status '${charge.status}'${reason}.`,
    { param: "charge" },
  );
}
