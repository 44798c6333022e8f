import type { Database } from "../../platform/database/database.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { type BatchMeters, batchSize, measured } from "../commit/batched-commits.ts";
import {
  type AppliedNotification,
  insertNotifications,
  type NewNotification,
  updateNotifications,
} from "./acquirer-notification.sql.ts";

/** Stores acquirers' notifications and their results. Concurrent calls of the same method share one statement. */
export type BatchedNotifications = ReturnType<typeof connectBatchedNotifications>;

// The return type is inferred, so that "go to definition" on a method opens its statement.
export function connectBatchedNotifications(database: Database, meters?: BatchMeters) {
  const options = { connect: () => database.connect(pinnedPlans), ...batchSize, connections: 1 };
  const news = groupCommit({
    ...options,
    write: measured(meters, "insert notifications", insertNotifications),
  });
  const results = groupCommit({
    ...options,
    write: measured(meters, "update notifications", updateNotifications),
  });

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
