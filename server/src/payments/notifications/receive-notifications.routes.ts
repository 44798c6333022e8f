import type { FastifyInstance } from "fastify";
import type { Connection } from "../../acquiring/connections/connection.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import type { BatchedNotifications } from "./batched-notifications.ts";
import { type NotifiedDeps, repeatsOutcome } from "./notified-charge.ts";

export type ReceiveDeps = NotifiedDeps & {
  readonly stored: Pick<BatchedNotifications, "insert">;
  readonly clock: Clock;
  /** Called after notifications of a connection were verified with the connection's current secrets. */
  readonly onVerified: (connection: Connection) => void;
  readonly log: { notificationForged(connection: string): void };
};

/**
 * Returns the path to which an acquirer posts notifications. The key in the path selects the connection but does not
 * authenticate the acquirer.
 */
export function acquirerNotificationPath(endpointKey: string): string {
  return `/acquirers/${endpointKey}/notifications`;
}

/**
 * Verifies and stores the notifications of live acquirers. The acquirer receives its response within milliseconds,
 * because a job later applies the notifications that report something new. Acquirers repeat a notification until they
 * receive a 2xx response: Adyen for up to 30 days, Stripe for up to three, Checkout.com for about 30 hours.
 */
export function receiveNotifications(app: FastifyInstance, deps: ReceiveDeps): void {
  const { stored, clock, directory, onVerified, log } = deps;
  app.post<{ Params: { key: string } }>(
    acquirerNotificationPath(":key"),
    async (request, reply) => {
      const open = directory.byEndpointKey(request.params.key);
      if (!open) throw noSuch("notification endpoint", request.params.key);
      const { id, processor } = open.connection;
      const connector = connectors[processor];
      const now = clock.now();
      const body = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
      const { headers } = request;
      const verified = connector.verifyNotifications(open, { body, headers }, now);
      switch (verified.kind) {
        case "malformed":
          throw new ApiError(
            "body_invalid_json",
            `The body is not a notification from ${connector.title}.`,
          );
        case "forged":
          log.notificationForged(id);
          throw new ApiError(
            "notification_signature_invalid",
            "The signature of a notification is not valid or too old. Make sure that the acquirer's webhook and the connection have the same signing key, and that the server's clock is correct.",
          );
      }
      const { notifications, isCurrent } = verified;
      await Promise.all(
        notifications.map(async (notification) =>
          stored.insert({
            connection: id,
            notification,
            receivedAt: now,
            isRepetition: await repeatsOutcome(deps, open.connection, notification.item, now),
          }),
        ),
      );
      if (isCurrent) onVerified(open.connection);
      // The text that Adyen's classic webhooks expect. Other acquirers only read the status.
      return reply.code(202).type("text/plain; charset=utf-8").send("[accepted]");
    },
  );
}
