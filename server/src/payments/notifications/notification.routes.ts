import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { AcquirerNotification } from "../../acquiring/acquirer-notification.ts";
import type {
  ChargeNotification,
  DisputeNotification,
  OperationNotification,
} from "../../acquiring/processor.ts";
import { noSuch } from "../../core/api-error.ts";
import { readBodyAs } from "../../platform/http/read-request.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { applyDisputeNotification, type DisputeDeps } from "../disputes/record-dispute.ts";
import { applyChargeNotification } from "../inquiries/inquire-charge.ts";
import { applyOperationNotification } from "../operations/operation.jobs.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type NotificationDeps = {
  readonly charges: ChargeDeps;
  readonly operations: OperationDeps;
  readonly disputes: DisputeDeps;
};

/** Returns the path to which the acquirer posts notifications. The secret in the path authenticates the acquirer. */
export function notificationPath(secret: string): string {
  return `/acquirers/simulator/notifications/${secret}`;
}

/**
 * Receives the notifications of the simulator, which is the acquirer of test mode, on the loopback listener only.
 * Responds with 204 once the outcome is committed. After any other response, the acquirer repeats a notification of an
 * operation or a dispute.
 */
export function serveNotifications(
  app: FastifyInstance,
  deps: NotificationDeps,
  secret: string,
): void {
  const expected = Buffer.from(secret);

  app.post<{ Params: { secret: string } }>(notificationPath(":secret"), async (request, reply) => {
    const given = Buffer.from(request.params.secret);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw noSuch("notification", request.params.secret);
    }
    await apply(deps, readBodyAs(request, AcquirerNotification));
    return reply.code(204).send();
  });
}

function apply(
  deps: NotificationDeps,
  { type, notification }: AcquirerNotification,
): Promise<unknown> {
  switch (type) {
    case "charge":
      return applyChargeNotification(deps.charges, notification as ChargeNotification);
    case "operation":
      return applyOperationNotification(deps.operations, notification as OperationNotification);
    case "dispute":
      return applyDisputeNotification(deps.disputes, notification as DisputeNotification);
  }
}
