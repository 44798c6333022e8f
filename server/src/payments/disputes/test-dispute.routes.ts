import { setTimeout as sleep } from "node:timers/promises";
import { CloseTestDispute, Dispute, OpenTestDispute } from "@florin/contract/dispute.ts";
import type { TestControls } from "../../acquiring/test-network.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import { parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import {
  type ApiRequest,
  type ApiResponse,
  created,
  ok,
  type Route,
  route,
} from "../../platform/http/route.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { Charge } from "../charges/charge.ts";
import { readDisputeOfCase } from "./dispute.sql.ts";
import { disputeObject } from "./dispute.ts";
import { assertOpen } from "./dispute-assertions.ts";
import { findDispute } from "./find-dispute.ts";
import { type DisputeDeps, isOpen } from "./record-dispute.ts";

/** Serves the test helpers that open and decide disputes on behalf of the card network. */
export function testDisputeRoutes(
  deps: DisputeDeps,
  network: Pick<TestControls, "openDispute" | "closeDispute" | "hasNotifiedOf">,
): Route[] {
  return [
    route({
      method: "POST",
      path: "/test_helpers/disputes",
      summary: "Open a dispute",
      permission: "test_helpers:write",
      body: OpenTestDispute,
      response: Dispute,
      status: 201,
      storesResponse: true,
      handle: (request) => open(request),
    }),
    route({
      method: "POST",
      path: "/test_helpers/disputes/:id/close",
      summary: "Decide a dispute",
      permission: "test_helpers:write",
      body: CloseTestDispute,
      response: Dispute,
      status: 200,
      storesResponse: true,
      handle: (request) => close(request),
    }),
  ];

  async function open({ scope, body }: ApiRequest<OpenTestDispute>): Promise<ApiResponse> {
    const charge = await findDisputable(scope, body.charge_id);
    assertTestMode(scope);
    const networkCase = await network.openDispute(
      { account: scope.account, reference: charge.id },
      {
        amountMinor: body.amount ?? null,
        reason: body.reason ?? "general",
        isInquiry: body.is_inquiry ?? false,
      },
    );
    const opened = await waitForNotification(async () => {
      // Reads the notification's status before the dispute. The dispute is committed before the notification is marked
      // as delivered, so this order finds the dispute of a delivered notification.
      const isNotified = await network.hasNotifiedOf({ account: scope.account, networkCase });
      const dispute = await readDisputeOfCase(deps.database.read, scope, networkCase);
      return dispute ?? (isNotified ? "rejected" : null);
    });
    // A concurrent dispute or refund has used the remaining amount of the charge.
    if (opened === "rejected") throw notDisputable(await findCharge(scope, charge.id));
    return created(disputeObject(opened));
  }

  async function close({
    scope,
    body,
    params,
  }: ApiRequest<CloseTestDispute>): Promise<ApiResponse> {
    const known = await findDispute(deps, scope, params.id as string);
    assertTestMode(scope);
    assertOpen(known);
    const { networkCase } = known;
    await network.closeDispute({ account: scope.account, networkCase }, body.outcome);
    const closed = await waitForNotification(async () => {
      const dispute = await findDispute(deps, scope, known.id);
      return isOpen(dispute) ? null : dispute;
    });
    return ok(disputeObject(closed));
  }

  async function findDisputable(scope: Scope, text: string): Promise<Charge> {
    const charge = await findCharge(scope, text);
    if (charge.status === "succeeded") {
      const { capturedMinor, refundedMinor, disputedMinor } = charge;
      if (capturedMinor > refundedMinor + disputedMinor) return charge;
    }
    throw notDisputable(charge);
  }

  async function findCharge(scope: Scope, text: string): Promise<Charge> {
    const id = parseId("ch", text);
    const charge = id && (await readCharge(deps.database.read, scope, id));
    if (!charge) throw noSuchParameter("charge", text, "charge_id");
    return charge;
  }
}

function notDisputable({ id, status }: Charge): ApiError {
  return new ApiError(
    "status_transition_invalid",
    `The charge '${id}' is '${status}' with ${status === "succeeded" ? "no amount left to dispute" : "no captured amount"}. Send a charge that is 'succeeded' and has an amount left to dispute.`,
    { param: "charge_id" },
  );
}

/** Calls `read` repeatedly until it returns a result, because another server may receive the network's notification. */
async function waitForNotification<Result>(read: () => Promise<Result | null>): Promise<Result> {
  for (let waits = 0; waits < 100; waits++) {
    const result = await read();
    if (result !== null) return result;
    await sleep(50);
  }
  throw new ApiError(
    "service_unavailable",
    "The notification from the simulated card network has not arrived yet. List the disputes again in a moment.",
    { retryAfterSeconds: 5 },
  );
}
