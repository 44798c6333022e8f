import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { listSessionsToExpire } from "../sessions/checkout-session.sql.ts";
import { expireSession } from "./expire-session.ts";
import type { SessionDeps } from "./session-deps.ts";

const sessionBatchSize = 200;

/** Expires open sessions at `expires_at`. */
export function startExpiry({ charges }: SessionDeps, background: Background): Loop {
  const { database, clock } = charges;
  return startDueWork({
    name: "session expiry",
    everyMs: 5_000,
    batchSize: sessionBatchSize,
    take: (limit) => listSessionsToExpire(database.read, clock.now(), limit),
    handle: (session) =>
      database.transaction((tx) => expireSession(tx, session, { cause: null, now: clock.now() })),
    oneByOne: true,
    background,
  });
}
