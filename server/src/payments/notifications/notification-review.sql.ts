import { type ConnectionId, uuidOf } from "../../core/ids.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import {
  type NotificationRow,
  notificationColumns,
  toNotification,
} from "./acquirer-notification.sql.ts";
import type {
  AcquirerNotification,
  NotificationId,
  NotificationState,
} from "./acquirer-notification.ts";

type ListedRow = NotificationRow & {
  event_code: string;
  state: NotificationState;
  problem: string | null;
  version: number;
};

const listedColumns = fragment`${notificationColumns}, event_code, state, problem, version`;

/** Returns one page of the notifications of a connection, newest first. */
export async function listNotifications(
  read: Sql,
  connection: ConnectionId,
  state: NotificationState | null,
  page: Page,
): Promise<AcquirerNotification[]> {
  const rows = await read<ListedRow>`
    select ${listedColumns}
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)}
       ${state ? fragment`and state = ${state}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toListed);
}

export async function readNotification(
  read: Sql,
  connection: ConnectionId,
  id: NotificationId,
): Promise<AcquirerNotification | null> {
  const [row] = await read<ListedRow>`
    select ${listedColumns}
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)} and id = ${uuidOf(id)}
  `;
  return row ? toListed(row) : null;
}

function toListed(row: ListedRow): AcquirerNotification {
  return {
    ...toNotification(row),
    eventCode: row.event_code,
    state: row.state,
    problem: row.problem,
    version: row.version,
  };
}

/** The decision of an operator on a notification that was not applied. */
export type NotificationDecision =
  | { readonly state: "pending"; readonly dueAt: Date }
  | { readonly state: "dismissed" };

/** Records an operator's decision. Returns false if the notification has changed since `version` was read. */
export async function decideNotification(
  tx: Tx,
  { connection, id, version }: Pick<AcquirerNotification, "connection" | "id" | "version">,
  decision: NotificationDecision,
): Promise<boolean> {
  const dueAt = decision.state === "pending" ? decision.dueAt : null;
  const rows = await tx`
    update acquirer_notifications
       set state = ${decision.state}, due_at = ${dueAt}, version = version + 1
     where connection_id = ${uuidOf(connection)} and id = ${uuidOf(id)} and version = ${version}
       and state in ('unmatched', 'review')
    returning id
  `;
  return rows.length === 1;
}

/** Counts the notifications of a connection that are not applied yet. */
export async function countUnapplied(
  read: Sql,
  connection: ConnectionId,
): Promise<Readonly<Record<"pending" | "unmatched" | "review", number>>> {
  const rows = await read<{ state: "pending" | "unmatched" | "review"; count: number }>`
    select state, count(*)::int as count
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)} and state in ('unmatched', 'review')
     group by state
    union all
    select 'pending', count(*)::int
      from acquirer_notifications
     where connection_id = ${uuidOf(connection)} and due_at is not null
  `;
  const counts = { pending: 0, unmatched: 0, review: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}
