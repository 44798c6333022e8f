import type { notificationStateNames } from "@florin/contract/operator-connections.ts";
import type { LiveProcessorName } from "../../acquiring/processor.ts";
import type { StoredItem } from "../../acquiring/verified-notification.ts";
import type { ConnectionId, Id } from "../../core/ids.ts";
import type { Transitions } from "../../core/transitions.ts";

export type NotificationId = Id<"ntf">;

export type NotificationState = (typeof notificationStateNames)[number];

export const notificationTransitions: Transitions<NotificationState> = {
  pending: {
    applied: "applied by the job",
    ignored: "has no effect on payments, or repeats the recorded outcome",
    unmatched: "no charge or operation had its reference for 24 hours",
    review: "not applied, or applied in part, because an operator must decide",
  },
  applied: {},
  ignored: {},
  unmatched: { pending: "applied again by an operator", dismissed: "dismissed by an operator" },
  review: { pending: "applied again by an operator", dismissed: "dismissed by an operator" },
  dismissed: {},
};

/** A stored notification, as operators see it. */
export type AcquirerNotification = {
  readonly id: NotificationId;
  readonly connection: ConnectionId;
  readonly processor: LiveProcessorName;
  readonly eventCode: string;
  /** The notification in the connector's format. */
  readonly item: StoredItem;
  readonly state: NotificationState;
  /** The reason why an operator must decide: why the notification was not applied, or was applied in part. */
  readonly problem: string | null;
  readonly receivedAt: Date;
  readonly version: number;
};

/** Returns whether the notification waits for an operator's decision. */
export function needsOperator({ state }: Pick<AcquirerNotification, "state">): boolean {
  return state === "unmatched" || state === "review";
}
