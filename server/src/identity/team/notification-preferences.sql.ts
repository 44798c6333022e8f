import type { NotificationTopic } from "@florin/contract/notification-topics.ts";
import { type PersonId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/** The choices of one member about the notifications of one mode. */
export type NotificationPreferences = {
  /** The topics of which the member receives no emails. */
  readonly muted: readonly NotificationTopic[];
  /** The time up to which the member has read the notifications. */
  readonly readAt: Date | null;
};

export async function readNotificationPreferences(
  read: Sql,
  { account, livemode }: Scope,
  person: PersonId,
): Promise<NotificationPreferences> {
  const [row] = await read<{ muted: NotificationTopic[]; read_at: Date | null }>`
    select muted, read_at
      from notification_preferences
     where account_id = ${uuidOf(account)} and livemode = ${livemode} and person_id = ${uuidOf(person)}
  `;
  return row ? { muted: row.muted, readAt: row.read_at } : { muted: [], readAt: null };
}

export async function writeMutedTopics(
  tx: Tx,
  { account, livemode }: Scope,
  person: PersonId,
  muted: readonly NotificationTopic[],
): Promise<void> {
  await tx`
    insert into notification_preferences (account_id, livemode, person_id, muted)
    values (${uuidOf(account)}, ${livemode}, ${uuidOf(person)}, ${muted})
        on conflict (account_id, livemode, person_id) do update set muted = excluded.muted
  `;
}

export async function writeReadAt(
  tx: Tx,
  { account, livemode }: Scope,
  person: PersonId,
  readAt: Date,
): Promise<void> {
  await tx`
    insert into notification_preferences (account_id, livemode, person_id, read_at)
    values (${uuidOf(account)}, ${livemode}, ${uuidOf(person)}, ${readAt})
        on conflict (account_id, livemode, person_id) do update set read_at = excluded.read_at
  `;
}
