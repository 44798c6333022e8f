import type { Clock } from "../../core/clock.ts";
import type { AttemptId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { readAuthentication, updateAuthentication } from "./authentication.sql.ts";
import { type Authentication, type AuthenticationEvent, step } from "./authentication.ts";
import { type AuthenticationTiming, deadlineOf } from "./deadlines.ts";

export type AdvanceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly timing: AuthenticationTiming;
};

/** The result of applying an event to an authentication. `changed` is true if the event had an effect. */
export type Advanced = { readonly authentication: Authentication; readonly changed: boolean };

/**
 * Applies an event to an authentication with a compare-and-set. If another event was written first, applies this event
 * to the new state. Writes nothing if the event has no effect.
 */
export async function advance(
  deps: AdvanceDeps,
  from: Authentication,
  event: AuthenticationEvent,
): Promise<Advanced> {
  let current = from;
  for (;;) {
    const next = step(current, event);
    if (!next) return { authentication: current, changed: false };
    const dueAt = deadlineOf(next, deps.clock.now(), deps.timing);
    const won = await deps.database.autocommit((tx) => updateAuthentication(tx, next, dueAt));
    if (won) return { authentication: next, changed: true };
    current = (await find(deps, from.scope, from.attemptId)) ?? current;
    // The other event has set a new deadline, so the passed deadline no longer applies.
    if (event.kind === "deadline_passed") return { authentication: current, changed: false };
  }
}

export function find(
  { database }: Pick<AdvanceDeps, "database">,
  scope: Scope,
  attemptId: AttemptId,
): Promise<Authentication | null> {
  return readAuthentication(database.read, scope, attemptId);
}
