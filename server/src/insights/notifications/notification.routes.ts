import assert from "node:assert/strict";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import {
  type NotificationTopic,
  notificationTopicNames,
  notificationTopics,
  notificationTypeNames,
  notificationTypes,
} from "@florin/contract/notification-topics.ts";
import {
  ListNotifications,
  Notification,
  NotificationPreferences,
  NotificationsRead,
  UpdateNotificationPreferences,
} from "@florin/contract/team-notification.ts";
import { type Clock, unixSeconds } from "../../core/clock.ts";
import type { PersonId } from "../../core/ids.ts";
import {
  readNotificationPreferences,
  writeMutedTopics,
  writeReadAt,
} from "../../identity/team/notification-preferences.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import { listNotifications } from "./notification.sql.ts";
import { notificationObject } from "./notification.ts";

const permission = "account:read";
const url = "/api/v1/notifications";

/** Serves the notifications of the team and the preferences of each person. Keys have neither. */
export function notificationRoutes({
  database,
  clock,
  idempotencyKeys,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
}): Route[] {
  return [
    route({
      method: "GET",
      path: "/notifications",
      summary: "List notifications",
      permission,
      peopleOnly: true,
      query: ListNotifications,
      response: ListOf(Notification, url),
      status: 200,
      async handle({ scope, query, actor, permissions }) {
        const page = pageOf(query, "tn");
        const types = notificationTypeNames.filter((type) =>
          permissions.has(notificationTopics[notificationTypes[type]].read),
        );
        const notifications = await listNotifications(database.read, scope, types, page);
        const { readAt } = await readNotificationPreferences(database.read, scope, personOf(actor));
        return ok(
          listPage(notifications, page, url, (one) =>
            notificationObject(one, scope.livemode, readAt),
          ),
        );
      },
    }),
    route({
      method: "POST",
      path: "/notifications/read",
      summary: "Mark your notifications as read",
      permission,
      peopleOnly: true,
      body: NoParameters,
      response: NotificationsRead,
      status: 200,
      handle({ scope, actor, idempotency }) {
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const readAt = clock.now();
          await writeReadAt(tx, scope, personOf(actor), readAt);
          const { livemode } = scope;
          return ok({ object: "notifications_read", livemode, read_at: unixSeconds(readAt) });
        });
      },
    }),
    route({
      method: "GET",
      path: "/notification_preferences",
      summary: "Retrieve your notification preferences",
      permission,
      peopleOnly: true,
      response: NotificationPreferences,
      status: 200,
      async handle({ scope, actor }) {
        const { muted } = await readNotificationPreferences(database.read, scope, personOf(actor));
        return ok(preferencesObject(scope.livemode, muted));
      },
    }),
    route({
      method: "POST",
      path: "/notification_preferences",
      summary: "Update your notification preferences",
      permission,
      peopleOnly: true,
      body: UpdateNotificationPreferences,
      response: NotificationPreferences,
      status: 200,
      handle({ scope, actor, body, idempotency }) {
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const { muted } = await readNotificationPreferences(tx, scope, personOf(actor));
          const next = notificationTopicNames.filter((topic) =>
            body[topic] === undefined ? muted.includes(topic) : !body[topic],
          );
          await writeMutedTopics(tx, scope, personOf(actor), next);
          return ok(preferencesObject(scope.livemode, next));
        });
      },
    }),
  ];
}

function personOf(actor: ApiRequest["actor"]): PersonId {
  assert(actor.kind === "person", "a route for people only was called with a key");
  return actor.id;
}

function preferencesObject(livemode: boolean, muted: readonly NotificationTopic[]) {
  const emails = notificationTopicNames.map((topic) => [topic, !muted.includes(topic)]);
  return { object: "notification_preferences", livemode, ...Object.fromEntries(emails) };
}
