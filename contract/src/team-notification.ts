import Type, { type Static } from "typebox";
import { amount, currency } from "./amount.ts";
import { listQuery } from "./list.ts";
import {
  type NotificationTopic,
  type NotificationType,
  notificationTopicNames,
  notificationTopics,
  notificationTypeNames,
} from "./notification-topics.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";

/** An event that members of the team should know about, as an entry in the dashboard's list of notifications. */
export const Notification = Type.Object(
  {
    ...objectFields("tn", "notification"),
    type: Type.Unsafe<NotificationType>(
      Type.Enum(notificationTypeNames, { description: "Reason for the notification." }),
    ),
    object_id: Type.String({ description: "ID of the object that the notification is about." }),
    amount: nullable(amount("Amount of the dispute or payout.")),
    currency: nullable(currency()),
    url: nullable(Type.String({ description: "URL of the webhook endpoint." })),
    read: Type.Boolean({
      description: "True if you have marked your notifications as read since this one.",
    }),
  },
  { description: "Event that a person of the team should know of." },
);
export type Notification = Static<typeof Notification>;

export const ListNotifications = listQuery({});
export type ListNotifications = Static<typeof ListNotifications>;

export const NotificationsRead = Type.Object(
  {
    object: Type.Literal("notifications_read", { description: "Always `notifications_read`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    read_at: unixTime("Time up to which your notifications are read"),
  },
  { description: "Confirmation that your notifications are read." },
);
export type NotificationsRead = Static<typeof NotificationsRead>;

const emails = Object.fromEntries(
  notificationTopicNames.map((topic) => [
    topic,
    Type.Boolean({ description: `Email: ${notificationTopics[topic].meaning}` }),
  ]),
) as Record<NotificationTopic, ReturnType<typeof Type.Boolean>>;

export const NotificationPreferences = Type.Object(
  {
    object: Type.Literal("notification_preferences", {
      description: "Always `notification_preferences`.",
    }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    ...emails,
  },
  { description: "Topics about which you receive emails, in one mode of the account." },
);
export type NotificationPreferences = Static<typeof NotificationPreferences>;

export const UpdateNotificationPreferences = Type.Partial(Type.Object(emails), {
  additionalProperties: false,
});
export type UpdateNotificationPreferences = Static<typeof UpdateNotificationPreferences>;
