import type { NotificationTopic, NotificationType } from "@florin/contract/notification-topics.ts";
import { notificationTypes } from "@florin/contract/notification-topics.ts";
import { firstUuidAt, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { isSecondChargeback } from "../../payments/disputes/dispute.sql.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Notification, NotificationDetails } from "./notification.ts";

type NotificationRow = {
  account_id: string;
  id: string;
  livemode: boolean | null;
  type: NotificationType;
  object_id: string;
  details: NotificationDetails;
};

const columns = fragment`account_id, id, livemode, type, object_id, details`;

/**
 * Inserts the notification. Returns false if the notification exists already, because another process has inserted it.
 */
export async function insertNotification(tx: Tx, notification: Notification): Promise<boolean> {
  const { account, id, livemode, type, objectId, details } = notification;
  const rows = await tx`
    insert into team_notifications (account_id, id, livemode, type, object_id, details)
    values (${uuidOf(account)}, ${uuidOf(id)}, ${livemode}, ${type}, ${uuidOf(objectId)}, ${JSON.stringify(details)})
        on conflict do nothing
    returning id
  `;
  return rows.length === 1;
}

/** Lists the notifications that concern this mode or both modes, newest first. */
export async function listNotifications(
  read: Sql,
  { account, livemode }: Scope,
  types: readonly NotificationType[],
  page: Page,
): Promise<Notification[]> {
  const rows = await read<NotificationRow>`
    select ${columns}
      from team_notifications
     where account_id = ${uuidOf(account)} and coalesce(livemode, ${livemode}) = ${livemode}
       and type = any (${types}::text[])
       ${pageRows(page)}
  `;
  return rows.map(toNotification);
}

/** Counts the notifications of a topic and mode since a time. The result limits the number of emails. */
export async function countNotifications(
  tx: Tx,
  { account, livemode }: Pick<Notification, "account" | "livemode">,
  topic: NotificationTopic,
  since: Date,
): Promise<number> {
  const types = Object.keys(notificationTypes).filter(
    (type) => notificationTypes[type as NotificationType] === topic,
  );
  const [row] = await tx<{ count: number }>`
    select count(*)::integer as count
      from team_notifications
     where account_id = ${uuidOf(account)} and livemode is not distinct from ${livemode}
       and id >= ${firstUuidAt(since)} and type = any (${types}::text[])
  `;
  return row?.count ?? 0;
}

/** Finds the events since `since` for which no notification exists yet, in all accounts. */
export async function findEventsToNotify(
  read: Sql,
  since: Date,
  limit: number,
): Promise<Notification[]> {
  const rows = await read<EventRow>`
    select e.account_id, e.id, e.livemode, e.type, e.object_id, e.body::jsonb->'data'->'object' as object,
           exists (
             select from disputes d
              where d.account_id = e.account_id and d.livemode = e.livemode and d.id = e.object_id
                and ${isSecondChargeback}
           ) as "isFinal"
      from events e
     where e.type in ('dispute.opened', 'payout.failed', 'webhook_endpoint.disabled')
       and e.id >= ${firstUuidAt(since)}
       and not exists (
         select from team_notifications n where n.account_id = e.account_id and n.id = e.id
       )
     order by e.id
     limit ${limit}
  `;
  return rows.map(({ object, isFinal, ...row }) =>
    toNotification({ ...row, details: detailsOf(object, isFinal) }),
  );
}

type EventRow = Omit<NotificationRow, "details"> & {
  object: Record<string, unknown>;
  isFinal: boolean;
};

function detailsOf(object: Record<string, unknown>, isFinal: boolean): NotificationDetails {
  const { amount, currency, evidence_due_by, url } = object;
  return {
    ...(typeof amount === "number" && { amount }),
    ...(typeof currency === "string" && { currency }),
    ...(typeof evidence_due_by === "number" && { dueBy: evidence_due_by }),
    ...(isFinal && { isFinal }),
    ...(typeof url === "string" && { url }),
  };
}

/**
 * Finds the enabled endpoints, in all accounts, whose deliveries have all failed since `failingBefore`. Omits an
 * endpoint if the team was notified since the endpoint began to fail, or since `notifiedSince`. Neither a long outage
 * nor an endpoint that fails repeatedly therefore causes many notifications.
 */
export async function findFailingEndpoints(
  read: Sql,
  { failingBefore, notifiedSince, limit }: FailingEndpoints,
): Promise<Omit<Notification, "id">[]> {
  const rows = await read<Omit<NotificationRow, "details" | "type"> & { url: string }>`
    select w.account_id, w.id, w.livemode, w.id as object_id, w.url
      from webhook_endpoints w
     where w.failing_since <= ${failingBefore} and w.status = 'enabled'
       and not exists (
         select from team_notifications n
          where n.account_id = w.account_id and n.type = 'webhook_endpoint.failing'
            and n.object_id = w.id
            and created_at(n.id) >= least(w.failing_since, ${notifiedSince})
       )
     limit ${limit}
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.account_id),
    livemode: row.livemode,
    type: "webhook_endpoint.failing",
    objectId: idFromUuid("we", row.object_id),
    details: { url: row.url },
  }));
}

type FailingEndpoints = {
  readonly failingBefore: Date;
  readonly notifiedSince: Date;
  readonly limit: number;
};

/** Deletes up to `limit` notifications of all accounts with an ID below `before`. Returns the number deleted. */
export async function deleteOldTeamNotifications(
  tx: Tx,
  before: string,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from team_notifications
     where (account_id, id) in (
       select account_id, id from team_notifications where id < ${before} limit ${limit}
     )
    returning id
  `;
  return rows.length;
}

/** The prefix of the ID of the object that a notification is about, by the notification's type. */
const prefixes = {
  "dispute.opened": "dp",
  "payout.failed": "po",
  "webhook_endpoint.failing": "we",
  "webhook_endpoint.disabled": "we",
  "application.approved": "app",
  "application.rejected": "app",
  "application.information_requested": "app",
} as const satisfies Record<NotificationType, string>;

function toNotification(row: NotificationRow): Notification {
  return {
    account: idFromUuid("acct", row.account_id),
    id: idFromUuid("tn", row.id),
    livemode: row.livemode,
    type: row.type,
    objectId: idFromUuid(prefixes[row.type], row.object_id),
    details: row.details,
  };
}
