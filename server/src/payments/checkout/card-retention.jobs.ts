import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { eraseCardsOfClosedAccounts, eraseCardsOfEndedSessions } from "./card-retention.sql.ts";

const sessionsBatchSize = 200;
const cardsBatchSize = 500;
const dayMs = 24 * 60 * 60_000;

/** The default retention of a closed account's cards: long enough to move them to another provider. */
export const defaultClosedAccountCardDays = 90;

export type CardRetentionDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly closedAccountCardDays: number;
  readonly onErased?: (reason: "session_ended" | "account_closed", cards: number) => void;
};

/**
 * Erases cards that no operation can need any more (PCI DSS requirement 3.2.1). Workers share the job: each locks its
 * batch and skips locked rows.
 */
export function startCardRetention(
  { database, clock, closedAccountCardDays, onErased }: CardRetentionDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "card retention",
    everyMs: 5_000,
    onError,
    async work() {
      const ended = await database.transaction((tx) =>
        eraseCardsOfEndedSessions(tx, sessionsBatchSize),
      );
      onErased?.("session_ended", ended.cards);
      const closedBefore = new Date(clock.now().getTime() - closedAccountCardDays * dayMs);
      const ofClosed = await database.transaction((tx) =>
        eraseCardsOfClosedAccounts(tx, closedBefore, cardsBatchSize),
      );
      onErased?.("account_closed", ofClosed);
      return ended.sessions === sessionsBatchSize || ofClosed === cardsBatchSize;
    },
  });
}
