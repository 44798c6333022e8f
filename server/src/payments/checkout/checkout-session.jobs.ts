import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { listSessionsToExpire } from "./checkout-session.sql.ts";
import { expireSession } from "./expire-session.ts";
import type { SessionDeps } from "./session-deps.ts";

const sessionsAtOnce = 200;

/** Expires open sessions at `expires_at`. */
export function startExpiry(
  { charges }: SessionDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  const { database, clock } = charges;
  return startLoop({
    name: "session expiry",
    everyMs: 5_000,
    onError,
    async work() {
      const now = clock.now();
      const due = await listSessionsToExpire(database.read, now, sessionsAtOnce);
      for (const session of due) {
        await database.transaction((tx) => expireSession(tx, session, { cause: null, now }));
      }
      return due.length === sessionsAtOnce;
    },
  });
}
