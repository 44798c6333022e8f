import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptId, OperationId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { CertificationRun, Finding } from "../certification.ts";
import { passed } from "../certify-payments.ts";
import { mismatchOf } from "../live-notification.ts";
import { fromStoredItem, notificationOf } from "./webhooks.ts";

/** A notification that Adyen must send because of a request. */
export type ExpectedNotification = {
  readonly reference: AttemptId | OperationId;
  readonly eventCode: string;
  readonly success: boolean;
  readonly price: Money;
};

/** A certification run that waits for notifications. */
export type WaitingRun = CertificationRun & {
  /** `isSilent` is true after a wait in which no notification arrived. */
  readonly state: { isSilent: boolean };
};

/** The time between two reads of the stored notifications. */
const readEveryMs = 500;

/** The longest wait for a notification between two requests of a check. */
const maxBriefWaitMs = 15_000;

/** Waits until all notifications have arrived, but no longer than `waitMs`. */
export async function waitForNotifications(
  run: WaitingRun,
  expected: readonly ExpectedNotification[],
  waitMs: number,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const items = await receivedItems(
      run,
      expected.map(({ reference }) => reference),
    );
    const arrived = new Set(items.map(({ merchantReference }) => merchantReference));
    if (expected.every(({ reference }) => arrived.has(reference))) return;
    if (performance.now() >= deadline) return;
    await sleep(Math.min(readEveryMs, waitMs));
  }
}

/**
 * Waits for the expected notifications between two requests of a check. Does not wait if no notification arrived during
 * an earlier wait.
 */
export async function waitBriefly(
  run: WaitingRun,
  expected: readonly ExpectedNotification[],
): Promise<void> {
  if (run.state.isSilent) return;
  await waitForNotifications(run, expected, Math.min(run.waitMs, maxBriefWaitMs));
  const references = expected.map(({ reference }) => reference);
  run.state.isSilent = (await receivedItems(run, references)).length === 0;
}

/** Returns the items of the notifications that have arrived with these references. */
export async function receivedItems(run: WaitingRun, references: readonly string[]) {
  return (await run.readItems(references)).map(fromStoredItem);
}

/** Returns whether all expected notifications have arrived and match their requests. */
export async function notificationFinding(
  run: WaitingRun,
  expected: readonly ExpectedNotification[],
): Promise<Finding> {
  const items = await receivedItems(
    run,
    expected.map(({ reference }) => reference),
  );
  const { merchantAccount } = run.assignment;
  const missing: string[] = [];
  for (const { reference, eventCode, success, price } of expected) {
    const item = items.find(
      (one) => one.merchantReference === reference && one.eventCode === eventCode,
    );
    if (!item) {
      missing.push(eventCode);
      continue;
    }
    if (item.success !== success) {
      const found = `The notification ${eventCode} for ${reference} has success '${item.success}'. Expected '${success}'.`;
      return { status: "failed", found: item.reason === null ? found : `${found} ${item.reason}` };
    }
    const notification = notificationOf(item, run.clock.now());
    const problem = mismatchOf(notification, { live: false, merchantAccount, price });
    if (problem !== null) {
      const found = `The ${problem} in the notification ${eventCode} for ${reference} differs from that of the request.`;
      return { status: "failed", found };
    }
  }
  if (missing.length === 0) {
    return passed(`All expected notifications arrived (${expected.length}).`);
  }
  return {
    status: "not_seen",
    found: `${missing.length} of ${expected.length} expected notifications did not arrive in time (${[...new Set(missing)].join(", ")}). Start the service, make sure that Adyen can reach the connection's webhook URL, and look for rejected notifications in the log of the service.`,
  };
}
