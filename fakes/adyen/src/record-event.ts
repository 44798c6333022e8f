import { randomBytes } from "node:crypto";
import type { NotificationFault } from "./faults.ts";
import type { EventFacts, Notification } from "./notification.ts";
import type { Platform } from "./platform.ts";

/**
 * Records the notifications of an event and returns the ids of those to dispatch. Like Adyen, records none for a
 * merchant account without a webhook URL.
 */
export function recordEvent(
  platform: Platform,
  facts: EventFacts,
  fault: NotificationFault | null,
): string[] {
  if (platform.account(facts.merchantAccount).webhookUrl === null) return [];
  const real = newNotification(platform, facts, false);
  switch (fault) {
    case "lost_notification":
      return record(platform, [{ ...real, state: { kind: "lost" } }]);
    case "duplicate_notification":
      return record(platform, [real, { ...real, id: newId(platform) }]);
    case "forged_notification":
      return record(platform, [newNotification(platform, forge(facts), true), real]);
    default:
      return record(platform, [real]);
  }
}

function record(platform: Platform, notifications: readonly Notification[]): string[] {
  for (const notification of notifications) {
    platform.state.put("notifications", notification.id, notification);
  }
  return notifications.filter(({ state }) => state.kind === "pending").map(({ id }) => id);
}

/** Returns the facts with the opposite result, to detect a receiver that does not verify signatures. */
function forge(facts: EventFacts): EventFacts {
  return { ...facts, success: !facts.success, reason: "" };
}

function newNotification(platform: Platform, facts: EventFacts, forged: boolean): Notification {
  const account = platform.account(facts.merchantAccount);
  const now = platform.clock.nowMs();
  return {
    id: newId(platform),
    facts,
    hmacKey: forged ? randomBytes(32).toString("hex") : account.hmacKey,
    createdAt: now,
    forged,
    state: account.delivery === "held" ? { kind: "held" } : { kind: "pending", dueAt: now },
    attempts: 0,
    problem: null,
  };
}

function newId(platform: Platform): string {
  return `ntf_${platform.nextNumber()}`;
}
