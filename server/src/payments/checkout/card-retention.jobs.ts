import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  eraseCardsOfClosedAccounts,
  eraseCardsOfEndedSessions,
  eraseCardsOfUnresolvedSessions,
  eraseDetachedCards,
} from "./card-retention.sql.ts";

const sessionsBatchSize = 200;
const cardsBatchSize = 500;
const dayMs = 24 * 60 * 60_000;

/**
 * The default retention in days of a closed account's cards, so that the merchant has time to move them to another
 * provider.
 */
export const defaultClosedAccountCardDays = 90;

export type CardRetentionDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly closedAccountCardDays: number;
  readonly onErased?: (reason: ErasureReason, cards: number) => void;
};

type ErasureReason = "session_ended" | "outcome_unknown" | "detached" | "account_closed";

/**
 * Erases cards that no operation needs (PCI DSS requirement 3.2.1). All servers run this job. Each locks its batch and
 * skips rows that another server has locked.
 */
export function startCardRetention(
  { database, clock, closedAccountCardDays, onErased }: CardRetentionDeps,
  background: Background,
): Loop {
  return startLoop({
    name: "card retention",
    everyMs: 5_000,
    background,
    async work() {
      const now = clock.now();
      const ended = await database.autocommit((tx) =>
        eraseCardsOfEndedSessions(tx, sessionsBatchSize),
      );
      onErased?.("session_ended", ended.cards);
      const unresolved = await database.autocommit((tx) =>
        eraseCardsOfUnresolvedSessions(tx, now, sessionsBatchSize),
      );
      onErased?.("outcome_unknown", unresolved.cards);
      const detached = await database.autocommit((tx) => eraseDetachedCards(tx, cardsBatchSize));
      onErased?.("detached", detached);
      const closedBefore = new Date(now.getTime() - closedAccountCardDays * dayMs);
      const ofClosed = await database.autocommit((tx) =>
        eraseCardsOfClosedAccounts(tx, closedBefore, cardsBatchSize),
      );
      onErased?.("account_closed", ofClosed);
      return (
        ended.sessions === sessionsBatchSize ||
        unresolved.sessions === sessionsBatchSize ||
        detached === cardsBatchSize ||
        ofClosed === cardsBatchSize
      );
    },
  });
}
