import { circuitBreakerBackoffMs } from "../../core/circuit-breaker.ts";
import { newId } from "../../core/ids.ts";
import { emailTeam } from "../../identity/team/email-team.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import { renderEvent } from "../events/event.ts";
import { insertEvent } from "../events/outbox.sql.ts";
import { type AttemptOutcome, isGone, isSuccess, type LogEntry } from "./delivery.ts";
import type { DeliveryDeps } from "./delivery-deps.ts";
import { disableEndpoint, resetFailures, writeFailure } from "./endpoint.sql.ts";
import {
  disableAfterDays,
  disableAfterMs,
  endpointObject,
  type WebhookEndpoint,
} from "./endpoint.ts";

/**
 * Tracks failures of endpoints, opens their circuit breakers, and disables those that fail for five days. The state of
 * a circuit breaker is stored in the endpoint's row, so all workers share it and it survives a restart. Waiting for the
 * circuit breaker is not an attempt. Only days with failed attempts count toward the five days, because Florin sends
 * nothing while it is stopped, or between a backup and its restore.
 */
export type EndpointHealth = {
  /** Records an outcome and its log entry. Resolves when the change, if any, is written. Never rejects. */
  note(
    endpoint: WebhookEndpoint,
    outcome: AttemptOutcome,
    entry: LogEntry,
    now: Date,
  ): Promise<void>;
  /** Resolves when all recorded outcomes are written. */
  idle(): Promise<void>;
};

/** The number of consecutive failures after which the backoff no longer grows. */
const countedFailures = 16;

/**
 * Records endpoint health. Only failures, and the first success after failures, are written, so a delivery to a
 * working endpoint costs no write. An endpoint that responds with 410, or whose deliveries have all failed for five
 * days with attempts, is disabled with an event.
 */
export function trackHealth(
  { database, random, log }: Pick<DeliveryDeps, "database" | "random" | "log">,
  onBackoff: (endpoint: WebhookEndpoint) => void,
): EndpointHealth {
  /** Endpoints with a write in progress. */
  const writing = new Map<string, Promise<void>>();

  function write(endpoint: WebhookEndpoint, work: () => Promise<void>): Promise<void> {
    // Concurrent attempts of a batch report the same change, so one write is enough. A later batch reads the row again.
    const underWay = writing.get(endpoint.id);
    if (underWay) return underWay;
    const done = work()
      .catch((error) => log.workFailed("webhook endpoint health", error))
      .finally(() => writing.delete(endpoint.id));
    writing.set(endpoint.id, done);
    return done;
  }

  async function fail(endpoint: WebhookEndpoint, entry: LogEntry, now: Date): Promise<void> {
    const backoffs = Array.from({ length: countedFailures }, (_, index) => {
      const backoff = circuitBreakerBackoffMs(index + 1, random());
      return backoff === null ? null : new Date(now.getTime() + backoff);
    });
    const failing = await database.autocommit((tx) =>
      writeFailure(tx, endpoint.scope, endpoint.id, entry, now, backoffs),
    );
    if (!failing) return;
    const failingMs = now.getTime() - failing.since.getTime();
    if (failingMs >= disableAfterMs && failing.days >= disableAfterDays) {
      await disable(endpoint, entry, now, "all deliveries have failed for five days");
    }
    if (failing.backoffUntil) onBackoff(endpoint);
  }

  async function disable(
    endpoint: WebhookEndpoint,
    entry: LogEntry,
    now: Date,
    reason: string,
  ): Promise<void> {
    const disabled = await database.transaction(async (tx) => {
      const off = await disableEndpoint(tx, endpoint.scope, endpoint.id, entry);
      if (!off) return null;
      const event = renderEvent({
        id: newId("evt", now),
        type: "webhook_endpoint.disabled",
        scope: off.scope,
        cause: null,
        objectId: off.id,
        object: JSON.stringify(endpointObject(off)),
      });
      await insertEvent(tx, off.scope, event);
      const email = endpointDisabledEmail(off, reason);
      const { account, livemode } = off.scope;
      await emailTeam(tx, account, "webhooks:write", email, now, { topic: "webhooks", livemode });
      return off;
    });
    if (disabled) log.endpointDisabled(disabled.id, reason);
  }

  return {
    async note(endpoint, outcome, entry, now) {
      if (endpoint.status === "disabled") return;
      const { scope, id } = endpoint;
      if (isSuccess(outcome)) {
        if (!endpoint.failing) return;
        await write(endpoint, () => database.autocommit((tx) => resetFailures(tx, scope, id)));
      } else if (isGone(outcome)) {
        await write(endpoint, () => disable(endpoint, entry, now, "it returned 410 Gone"));
      } else {
        await write(endpoint, () => fail(endpoint, entry, now));
      }
    },
    async idle() {
      await Promise.all(writing.values());
    },
  };
}

/** Returns the email that informs a merchant's team that an endpoint was disabled. */
function endpointDisabledEmail(endpoint: WebhookEndpoint, reason: string): Omit<Mail, "to"> {
  const mode = endpoint.scope.livemode ? "live" : "test";
  return {
    subject: `A webhook endpoint in ${mode} mode was disabled`,
    text: [
      `Florin no longer sends events to ${endpoint.url}, because ${reason}.`,
      "Events are still recorded. When the endpoint works again, open Webhooks in the dashboard, enable the endpoint and resend the missed events.",
      `The endpoint is ${endpoint.id} of ${endpoint.scope.account}.`,
      "",
    ].join("\n\n"),
  };
}
