import type { NotificationType } from "@florin/contract/notification-topics.ts";
import type { Notification as NotificationObject } from "@florin/contract/team-notification.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt, type Id, type TeamNotificationId } from "../../core/ids.ts";

/** An event that team members should know about. */
export type Notification = {
  /** If an event of the outbox caused the notification, the ID contains the event's UUID. */
  readonly id: TeamNotificationId;
  readonly account: AccountId;
  /** Null if the notification concerns both modes. */
  readonly livemode: boolean | null;
  readonly type: NotificationType;
  readonly objectId: Id<"dp" | "po" | "we" | "app">;
  readonly details: NotificationDetails;
};

export type NotificationDetails = {
  readonly amount?: number;
  readonly currency?: string;
  /** The deadline for the response to a dispute, in Unix seconds. */
  readonly dueBy?: number;
  /** True for a second chargeback, to which the merchant cannot respond. */
  readonly isFinal?: boolean;
  readonly url?: string;
};

/** The time for which notifications are kept. */
export const notificationLifeMs = 90 * 24 * 60 * 60_000;

/** Returns the notification in the mode of the request, for a person who has read the notifications up to `readAt`. */
export function notificationObject(
  { id, type, objectId, details }: Notification,
  livemode: boolean,
  readAt: Date | null,
): NotificationObject {
  const created = createdAt(id);
  return {
    id,
    object: "notification",
    livemode,
    created: unixSeconds(created),
    type,
    object_id: objectId,
    amount: details.amount ?? null,
    currency: details.currency ?? null,
    url: details.url ?? null,
    read: readAt !== null && created <= readAt,
  };
}
