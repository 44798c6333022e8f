import { ListOf } from "@florin/contract/list.ts";
import {
  ApplyNotification,
  DismissNotification,
  ListAcquirerNotifications,
  AcquirerNotification as NotificationObject,
} from "@florin/contract/operator-connections.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import { readConnection } from "../../acquiring/connections/connection.sql.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { parseId } from "../../core/ids.ts";
import { assertTransition } from "../../core/transitions.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import {
  type AcquirerNotification,
  needsOperator,
  notificationTransitions,
} from "../../payments/notifications/acquirer-notification.ts";
import {
  decideNotification,
  listNotifications,
  type NotificationDecision,
  readNotification,
} from "../../payments/notifications/notification-review.sql.ts";
import {
  findNamedCharges,
  type NamedCharge,
} from "../../payments/notifications/notified-payment.sql.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { ok } from "../../platform/http/route.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { connectionIn } from "./connection.routes.ts";
import type { ConnectionDeps } from "./connection-deps.ts";

/** Serves the notifications that a connection has received, and the decisions of operators about them. */
export function connectionNotificationRoutes(deps: ConnectionDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();
  const url = "/operator/v1/connections/:connection/notifications";

  return [
    route({
      method: "GET",
      path: "/connections/:connection/notifications",
      query: ListAcquirerNotifications,
      response: ListOf(NotificationObject, url),
      async handle(request) {
        const { query } = request;
        const connection = connectionIn(request);
        if (!(await readConnection(database.read, connection))) {
          throw noSuch("connection", connection);
        }
        const page = pageOf(query, "ntf");
        const rows = await listNotifications(database.read, connection, query.state ?? null, page);
        const charges = await chargesOf(rows);
        return ok(listPage(rows, page, url, (row) => notificationObject(row, charges)));
      },
    }),
    route({
      method: "POST",
      path: "/connections/:connection/notifications/:notification/apply",
      body: ApplyNotification,
      response: NotificationObject,
      handle: (request) => decide(request, { state: "pending", dueAt: clock.now() }, null),
    }),
    route({
      method: "POST",
      path: "/connections/:connection/notifications/:notification/dismiss",
      body: DismissNotification,
      response: NotificationObject,
      handle: (request) => decide(request, { state: "dismissed" }, request.body.reason),
    }),
  ];

  async function decide(
    request: OperatorRequest<{ readonly version: number }>,
    decision: NotificationDecision,
    reason: string | null,
  ) {
    requireRecentStepUp(request, clock.now());
    const seen = await readSeen(request);
    assertTransition(notificationTransitions, seen.id, seen.state, decision.state);
    await database.transaction(async (tx) => {
      if (!(await decideNotification(tx, seen, decision))) throw changedSince("notification");
      const entry = operatorAuditEntry(request, {
        account: null,
        action:
          decision.state === "pending"
            ? "acquirer_notification.retried"
            : "acquirer_notification.dismissed",
        object: seen.id,
        before: { state: seen.state, problem: seen.problem },
        after: { state: decision.state, connection: seen.connection },
        reason,
      });
      await recordAuditEntry(tx, entry, clock);
    });
    const { state } = decision;
    const decided = { ...seen, state, version: seen.version + 1 };
    return ok(notificationObject(decided, await chargesOf([decided])));
  }

  /**
   * Returns the notification in the path. Throws if the notification is not waiting for a decision, or has changed
   * since the operator read it.
   */
  async function readSeen(
    request: OperatorRequest<{ readonly version: number }>,
  ): Promise<AcquirerNotification> {
    const text = request.params.notification as string;
    const id = parseId("ntf", text);
    const seen = id && (await readNotification(database.read, connectionIn(request), id));
    if (!seen) throw noSuch("notification", text);
    if (seen.version !== request.body.version) throw changedSince("notification");
    if (needsOperator(seen)) return seen;
    throw new ApiError(
      "status_transition_invalid",
      `The notification is '${seen.state}'. It must be 'review' or 'unmatched' for this request.`,
    );
  }

  /**
   * Returns the charges that the notifications name. Searches only the accounts that are assigned to the notification's
   * merchant account.
   */
  async function chargesOf(
    notifications: readonly AcquirerNotification[],
  ): Promise<ReadonlyMap<string, NamedCharge>> {
    const accounts = new Set(
      notifications.flatMap(({ connection, item }) =>
        deps.directory
          .assignmentsAt(connection, item.merchantAccount)
          .map(({ account }) => account),
      ),
    );
    const references = notifications.map(({ item }) => item.merchantReference);
    return findNamedCharges(database.read, [...accounts], {
      charges: references.flatMap((reference) => parseId("ch", reference) ?? []),
      operations: references.flatMap((reference) => parseId("op", reference) ?? []),
    });
  }
}

function notificationObject(
  notification: AcquirerNotification,
  charges: ReadonlyMap<string, NamedCharge>,
): NotificationObject {
  const { merchantReference: reference } = notification.item;
  const named = charges.get(reference);
  return {
    id: notification.id,
    object: "acquirer_notification",
    connection: notification.connection,
    event_code: notification.eventCode,
    state: notification.state,
    problem: notification.problem,
    reference: reference === "" ? null : reference,
    charge: named?.charge ?? null,
    account: named?.account ?? null,
    fields: connectors[notification.processor].shownFieldsOf(notification.item),
    created: unixSeconds(notification.receivedAt),
    version: notification.version,
  };
}
