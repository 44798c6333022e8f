import type { LiveProcessorName } from "../../acquiring/processor.ts";
import type { StoredItem, VerifiedNotification } from "../../acquiring/verified-notification.ts";
import { type ConnectionId, idFromUuid, newId, uuidOf } from "../../core/ids.ts";
import {
  jsons,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { batchStatements } from "../../platform/database/batch-statement.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { Queue } from "../../platform/jobs/claim-due.sql.ts";
import type { NotificationId } from "./acquirer-notification.ts";
import type { NotificationResult } from "./notification-result.ts";

/** A stored notification that waits to be applied. */
export type PendingNotification = {
  readonly id: NotificationId;
  readonly connection: ConnectionId;
  readonly processor: LiveProcessorName;
  readonly item: StoredItem;
  readonly receivedAt: Date;
};

export type NotificationRow = {
  id: string;
  connection_id: string;
  processor: LiveProcessorName;
  item: StoredItem;
  received_at: Date;
};

export const notificationColumns = fragment`
  id, connection_id, item, received_at,
  (select c.processor from processor_connections c where c.id = connection_id) as processor
`;

export const dueNotifications: Queue = {
  table: fragment`acquirer_notifications`,
  key: fragment`id`,
  dueAt: fragment`due_at`,
  waits: fragment`state = 'pending'`,
};

export function toNotification(row: NotificationRow): PendingNotification {
  return {
    id: idFromUuid("ntf", row.id),
    connection: idFromUuid("con", row.connection_id),
    processor: row.processor,
    item: row.item,
    receivedAt: row.received_at,
  };
}

/** A verified notification to store. */
export type NewNotification = {
  readonly connection: ConnectionId;
  readonly notification: VerifiedNotification;
  readonly receivedAt: Date;
  /** True if the notification needs no further work. Such a notification is stored as ignored. */
  readonly isRepetition: boolean;
};

/**
 * Stores notifications that were not stored before. Inserts in the order of the unique constraint, so that two servers
 * that store the same two notifications cannot deadlock. Returns null for each notification, because a group commit
 * expects a result for each item.
 */
export async function insertNotifications(
  tx: Tx,
  news: readonly NewNotification[],
): Promise<null[]> {
  const received = {
    id: uuids(news, ({ receivedAt }) => newId("ntf", receivedAt)),
    connection_id: uuids(news, ({ connection }) => connection),
    deduplication_key: texts(news, ({ notification }) => notification.deduplicationKey),
    event_code: texts(news, ({ notification }) => notification.eventCode),
    item: jsons(news, ({ notification }) => notification.item),
    received_at: timestamps(news, ({ receivedAt }) => receivedAt),
    state: texts(news, ({ isRepetition }) => (isRepetition ? "ignored" : "pending")),
    due_at: timestamps(news, ({ isRepetition, receivedAt }) => (isRepetition ? null : receivedAt)),
  };
  await runBatch(tx, {
    name: "insert notifications",
    columns: [received],
    build: (rows) => fragment`
      insert into acquirer_notifications
             (id, connection_id, deduplication_key, event_code, item, received_at, state, due_at)
      select id, connection_id, deduplication_key, event_code, item, received_at, state, due_at
        from ${rows} as received
       order by connection_id, deduplication_key
          on conflict on constraint acquirer_notifications_once do nothing
    `,
  });
  return news.map(() => null);
}

const runBatch = batchStatements();

/** Selects the notifications of `connection` whose merchant reference is one of `references`. */
export type NotificationsAbout = {
  readonly connection: ConnectionId;
  readonly references: readonly string[];
};

/** Returns the `item` of each of these notifications, oldest first. */
export async function readItemsAbout(read: Sql, about: NotificationsAbout): Promise<StoredItem[]> {
  const rows = await read<{ item: StoredItem }>`
    select item from acquirer_notifications where ${isAbout(about)} order by id
  `;
  return rows.map(({ item }) => item);
}

/**
 * Marks the pending notifications about the payments of a certification as ignored. These payments have no charge, so
 * their notifications would otherwise be listed as unmatched.
 */
export async function ignoreNotifications(tx: Tx, about: NotificationsAbout): Promise<void> {
  await tx`
    update acquirer_notifications
       set state = 'ignored', due_at = null, version = version + 1
     where state = 'pending' and ${isAbout(about)}
  `;
}

function isAbout({ connection, references }: NotificationsAbout) {
  return fragment`
    connection_id = ${uuidOf(connection)} and item ->> 'merchantReference' = any(${references}::text[])
  `;
}

/** The result of applying a notification. */
export type AppliedNotification = {
  readonly id: NotificationId;
  readonly result: NotificationResult;
};

/**
 * Records the results of notifications that are still pending. Returns null for each notification, because a group
 * commit expects a result for each item.
 */
export async function updateNotifications(
  tx: Tx,
  applied: readonly AppliedNotification[],
): Promise<null[]> {
  const results = rowsOf({
    id: uuids(applied, ({ id }) => id),
    state: texts(applied, ({ result }) => result.state),
    problem: texts(applied, ({ result }) => ("problem" in result ? result.problem : null)),
    due_at: timestamps(applied, ({ result }) => ("dueAt" in result ? result.dueAt : null)),
  });
  await tx`
    update acquirer_notifications n
       set state = r.state, problem = r.problem, due_at = r.due_at, version = n.version + 1
      from ${results} as r
     where n.id = r.id and n.state = 'pending'
  `;
  return applied.map(() => null);
}

/**
 * Returns whether the acquirer has confirmed that it reversed the payment with this acquirer reference. A confirmation
 * in the state `ignored` also counts. A confirmation gets this state when it is applied again after a crash.
 */
export async function isReversed(
  read: Sql,
  connection: ConnectionId,
  paymentReference: string,
): Promise<boolean> {
  const rows = await read`
    select 1
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)} and event_code in ('TECHNICAL_CANCEL', 'CANCEL_OR_REFUND')
       and item ->> 'originalReference' = ${paymentReference} and (item ->> 'success')::boolean
       and state in ('pending', 'applied', 'ignored')
     limit 1
  `;
  return rows.length > 0;
}

/**
 * Returns whether the acquirer has reported that the capture or refund with one of these references failed after it had
 * been executed. Ignores reports from before `notBefore`, because Adyen can repeat a failed capture and then report a
 * success. A report in the state `ignored` also counts, because an inquiry may have returned the failure before the
 * report arrived.
 */
export async function hasFailedLater(
  read: Sql,
  connection: ConnectionId,
  {
    references,
    notBefore,
  }: { readonly references: readonly string[]; readonly notBefore: Date | null },
): Promise<boolean> {
  const rows = await read`
    select 1
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)} and event_code in ('CAPTURE_FAILED', 'REFUND_FAILED', 'REFUNDED_REVERSED', 'refund.failed', 'payment_refund_declined')
       and item ->> 'merchantReference' = any(${references}::text[]) and state in ('pending', 'applied', 'ignored')
       and coalesce((item ->> 'createdAt')::timestamptz >= ${notBefore}, true)
     limit 1
  `;
  return rows.length > 0;
}

/**
 * The time for which a notification is kept after it was applied, ignored or dismissed. Acquirers repeat a notification
 * for at most 30 days, and a stored notification is needed to detect the repetition. A year is long enough to explain
 * an outcome to the merchant.
 */
export const notificationLifeMs = 400 * 24 * 60 * 60 * 1000;

/**
 * Deletes up to `limit` applied, ignored or dismissed notifications with an ID below `before`. Returns the number
 * deleted.
 */
export async function deleteOldNotifications(
  tx: Tx,
  before: string,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from acquirer_notifications
     where id in (
       select id
         from acquirer_notifications
        where id < ${before} and state in ('applied', 'ignored', 'dismissed')
        order by id
        limit ${limit}
     )
    returning id
  `;
  return rows.length;
}
