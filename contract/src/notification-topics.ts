import type { Permission } from "./permissions.ts";

type Topic = {
  /** The description of the topic's emails in the notification preferences. */
  readonly meaning: string;
  /** The permission that is required to see notifications of the topic. */
  readonly read: Permission;
  /**
   * The permission that is required to act on a notification of the topic, and therefore to receive the topic's emails.
   */
  readonly act: Permission;
};

/** The topics of notifications. Each person chooses the topics for which to receive emails. */
export const notificationTopics = {
  disputes: {
    meaning: "A customer disputes a payment.",
    read: "disputes:read",
    act: "disputes:write",
  },
  payouts: { meaning: "A payout fails.", read: "balance:read", act: "payouts:write" },
  webhooks: {
    meaning: "A webhook endpoint fails or is disabled.",
    read: "webhooks:read",
    act: "webhooks:write",
  },
  application: {
    meaning: "An operator decides on your application, or has questions about it.",
    read: "application:read",
    act: "application:write",
  },
} as const satisfies Record<string, Topic>;

export type NotificationTopic = keyof typeof notificationTopics;
export const notificationTopicNames = Object.keys(notificationTopics) as NotificationTopic[];

/** The types of notifications, each with its topic. */
export const notificationTypes = {
  "dispute.opened": "disputes",
  "payout.failed": "payouts",
  "webhook_endpoint.failing": "webhooks",
  "webhook_endpoint.disabled": "webhooks",
  "application.approved": "application",
  "application.rejected": "application",
  "application.information_requested": "application",
} as const satisfies Record<string, NotificationTopic>;

export type NotificationType = keyof typeof notificationTypes;
export const notificationTypeNames = Object.keys(notificationTypes) as NotificationType[];
