import type { Database } from "../../platform/database/database.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { type BatchObservers, batchSize, observedGroupCommit } from "../commit/batched-commits.ts";
import {
  type AppliedNotification,
  insertNotifications,
  type NewNotification,
  updateNotifications,
} from "./acquirer-notification.sql.ts";

/** Stores acquirers' notifications and their results. Concurrent calls of the same method share one statement. */
export type BatchedNotifications = ReturnType<typeof connectBatchedNotifications>;

// The return type is inferred, so that "go to definition" on a method opens its statement.
export function connectBatchedNotifications(database: Database, observers: BatchObservers = {}) {
  const options = { connect: () => database.connect(pinnedPlans), ...batchSize, connections: 1 };
  const news = observedGroupCommit(
    "insert notifications",
    { ...options, write: insertNotifications },
    observers,
  );
  const results = observedGroupCommit(
    "update notifications",
    { ...options, write: updateNotifications },
    observers,
  );

  return {
    /** Stores a notification, unless it is already stored (`insertNotifications`). */
    async insert(notification: NewNotification): Promise<void> {
      await news(notification);
    },

    /** Records the result of a notification (`updateNotifications`). */
    async update(applied: AppliedNotification): Promise<void> {
      await results(applied);
    },

    /** Waits for pending writes to finish. */
    async close(): Promise<void> {
      await Promise.all([news.close(), results.close()]);
    },
  };
}
