import type { Permission } from "./permissions.ts";

type Topic = {
  /** The emails of the topic, as the preferences describe them. */
  readonly meaning: string;
  /** Required to see notifications of the topic. */
  readonly read: Permission;
  /** Required to receive emails of the topic: the permission to act on it. */
  readonly act: Permission;
};

/** The topics of notifications. Each person chooses the topics of which they receive emails. */
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
