import type { VerifiedNotification } from "../../acquiring/verify-notifications.ts";
import {
  type AccountId,
  type AssignmentId,
  type ChargeId,
  type ConnectionId,
  type Id,
  idFromNullableUuid,
  idFromUuid,
  newId,
  type OperationId,
  uuidOf,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { jsons, rowsOf, texts, uuids } from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { Queue } from "../../platform/jobs/claim-due.sql.ts";

export type NotificationId = Id<"ntf">;

/** A stored notification that waits to be applied. */
export type PendingNotification = {
  readonly id: NotificationId;
  readonly connection: ConnectionId;
  readonly item: object;
  readonly receivedAt: Date;
};

export type NotificationRow = {
  id: string;
  connection_id: string;
  item: object;
  received_at: Date;
};

export const notificationColumns = fragment`id, connection_id, item, received_at`;

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
    item: row.item,
    receivedAt: row.received_at,
  };
}

/** Stores notifications. Returns the number of those that were not stored before. */
export async function insertNotifications(
  tx: Tx,
  connection: ConnectionId,
  notifications: readonly VerifiedNotification[],
  now: Date,
): Promise<number> {
  const received = rowsOf({
    id: uuids(notifications, () => newId("ntf", now)),
    deduplication_key: texts(notifications, ({ deduplicationKey }) => deduplicationKey),
    event_code: texts(notifications, ({ eventCode }) => eventCode),
    item: jsons(notifications, ({ item }) => item),
  });
  const rows = await tx<{ id: string }>`
    insert into acquirer_notifications
           (id, connection_id, deduplication_key, event_code, item, received_at, due_at)
    select id, ${uuidOf(connection)}::uuid, deduplication_key, event_code, item, ${now}::timestamptz, ${now}::timestamptz
      from ${received} as received
        on conflict on constraint acquirer_notifications_once do nothing
    returning id
  `;
  return rows.length;
}

/** The notifications of a connection about these references. */
export type NotificationsAbout = {
  readonly connection: ConnectionId;
  readonly references: readonly string[];
};

/** Returns the notifications as they are stored, oldest first. */
export async function readItemsAbout(read: Sql, about: NotificationsAbout): Promise<object[]> {
  const rows = await read<{ item: object }>`
    select item from acquirer_notifications where ${isAbout(about)} order by id
  `;
  return rows.map(({ item }) => item);
}

/** Ignores the notifications that no charge matches, so that they are not listed as unmatched. */
export async function ignoreNotifications(tx: Tx, about: NotificationsAbout): Promise<void> {
  await tx`
    update acquirer_notifications
       set state = 'ignored', due_at = null
     where state = 'pending' and ${isAbout(about)}
  `;
}

function isAbout({ connection, references }: NotificationsAbout) {
  return fragment`
    connection_id = ${uuidOf(connection)} and item ->> 'merchantReference' = any(${references}::text[])
  `;
}

export type NotificationResult =
  | { readonly state: "applied" | "ignored" }
  | { readonly state: "unmatched" | "review"; readonly problem: string }
  /** The notification stays pending and is applied again at `dueAt`. */
  | { readonly state: "pending"; readonly dueAt: Date };

export async function updateNotification(
  tx: Tx,
  id: NotificationId,
  result: NotificationResult,
): Promise<void> {
  const problem = "problem" in result ? result.problem : null;
  const dueAt = "dueAt" in result ? result.dueAt : null;
  await tx`
    update acquirer_notifications
       set state = ${result.state}, problem = ${problem}, due_at = ${dueAt}
     where id = ${uuidOf(id)} and state = 'pending'
  `;
}

/** Returns whether the acquirer has confirmed that it reversed the payment with this `pspReference`. */
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
       and state in ('pending', 'applied')
     limit 1
  `;
  return rows.length > 0;
}

/** The merchant and the acquirer of an object that a notification names. */
export type NotifiedObject = {
  readonly scope: Scope;
  /** The assignment with which the charge was sent. */
  readonly assignmentId: AssignmentId | null;
};

/**
 * Returns the merchant and the acquirer of a live charge. Returns null if none of the accounts has a charge with this
 * ID.
 */
export async function findNotifiedCharge(
  read: Sql,
  accounts: readonly AccountId[],
  id: ChargeId,
): Promise<NotifiedObject | null> {
  const [row] = await read<NotifiedRow>`
    select account_id, livemode, assignment_id
      from charges
     where account_id = any(${accounts.map(uuidOf)}::uuid[]) and livemode and id = ${uuidOf(id)}
  `;
  return row ? toObject(row) : null;
}

/**
 * Returns the merchant and the acquirer of a capture, void or refund of a live charge. Returns null if none of the
 * accounts has an operation with this ID.
 */
export async function findNotifiedOperation(
  read: Sql,
  accounts: readonly AccountId[],
  id: OperationId,
): Promise<NotifiedObject | null> {
  const [row] = await read<NotifiedRow>`
    select o.account_id, o.livemode, c.assignment_id
      from operations o
      join charges c on c.account_id = o.account_id and c.livemode = o.livemode and c.id = o.charge_id
     where o.account_id = any(${accounts.map(uuidOf)}::uuid[]) and o.livemode and o.id = ${uuidOf(id)}
  `;
  return row ? toObject(row) : null;
}

type NotifiedRow = { account_id: string; livemode: boolean; assignment_id: string | null };

function toObject({ account_id, livemode, assignment_id }: NotifiedRow): NotifiedObject {
  return {
    scope: { account: idFromUuid("acct", account_id), livemode },
    assignmentId: idFromNullableUuid("asg", assignment_id),
  };
}
