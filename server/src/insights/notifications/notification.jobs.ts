import { notificationTopics, notificationTypes } from "@florin/contract/notification-topics.ts";
import type { Clock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import { browserAddress } from "../../identity/people/browser-address.ts";
import { emailTeam } from "../../identity/team/email-team.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  countNotifications,
  findEventsToNotify,
  findFailingEndpoints,
  insertNotification,
} from "./notification.sql.ts";
import type { Notification } from "./notification.ts";
import { failingMinutes, notificationEmail } from "./notification-email.ts";

export type NotificationDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly publicUrl: () => string;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * Each run of the loop reads the events of this period again, because an event becomes visible only when its
 * transaction commits, which can be long after its ID was generated.
 */
const lookBackMs = hourMs;
/** The first run of a process reads the events of a week, so that a restart misses no event. */
const firstLookBackMs = 7 * dayMs;

const batch = 100;

/**
 * The maximum number of emails on one topic and mode within an hour. If a merchant's test opens hundreds of disputes,
 * the mailboxes of the team must not be filled. The dashboard lists every notification.
 */
const maxEmailsPerHour = 10;

/**
 * Creates notifications from the events of the outbox and from failing endpoints, and queues their emails. The loop
 * reads the events after their transactions have committed, so that no payment waits for a notification.
 */
export function startTeamNotifications(deps: NotificationDeps, background: Background): Loop {
  const { database, clock } = deps;
  let lookBack = firstLookBackMs;
  return startLoop({
    name: "team notifications",
    everyMs: 5_000,
    background,
    async work() {
      const now = clock.now();
      const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
      const events = await findEventsToNotify(database.read, ago(lookBack), batch);
      for (const notification of events) await notifyTeam(deps, notification);
      const failing = await findFailingEndpoints(database.read, {
        failingBefore: ago(failingMinutes * minuteMs),
        notifiedSince: ago(dayMs),
        limit: batch,
      });
      for (const found of failing) await notifyTeam(deps, { id: newId("tn", now), ...found });
      if (events.length < batch) lookBack = lookBackMs;
      return events.length === batch || failing.length === batch;
    },
  });
}

/** Inserts the notification and queues its emails in one transaction, so that each is sent once. */
async function notifyTeam(
  { database, clock, accounts, publicUrl }: NotificationDeps,
  notification: Notification,
): Promise<void> {
  const account = await accounts.get(notification.account);
  const email = notificationEmail(
    notification,
    account,
    `${browserAddress(publicUrl())}/dashboard`,
  );
  const now = clock.now();
  await database.transaction(async (tx) => {
    if (!(await insertNotification(tx, notification))) return;
    if (!email || (await exceedsEmailLimit(tx, notification, now))) return;
    const topic = notificationTypes[notification.type];
    const { livemode } = notification;
    const may = notificationTopics[topic].act;
    await emailTeam(tx, account.id, may, email, now, { topic, livemode });
  });
}

async function exceedsEmailLimit(tx: Tx, notification: Notification, now: Date): Promise<boolean> {
  const topic = notificationTypes[notification.type];
  const since = new Date(now.getTime() - hourMs);
  return (await countNotifications(tx, notification, topic, since)) > maxEmailsPerHour;
}
