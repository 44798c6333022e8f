import type { Loop } from "../platform/jobs/loop.ts";
import { openAmountHistory } from "./amount-history.ts";
import { type RuleCheckDeps, startRuleCheck } from "./check-stored-rules.ts";
import { type Judge, openJudge } from "./judge.ts";
import { openRuleBooks, type RuleBooks } from "./rule-book.ts";
import { mergeVelocity, startVelocityMerge } from "./velocity.jobs.ts";
import { openVelocity } from "./velocity.ts";

/** A risk engine with in-memory counters, and the loops that synchronize them with other processes. */
export type Judging = {
  readonly judge: Judge;
  readonly books: RuleBooks;
  start(): Loop[];
  /** Writes the counts of the last second to the database before this process stops. */
  flush(): Promise<void>;
};

export function openJudging(
  deps: RuleCheckDeps,
  onError: (name: string, error: unknown) => void,
): Judging {
  const velocity = openVelocity();
  const books = openRuleBooks(deps);
  const history = openAmountHistory(deps, onError);
  return {
    judge: openJudge({ ...deps, velocity, books, history }),
    books,
    async flush() {
      await mergeVelocity({ ...deps, velocity }).catch((error: unknown) =>
        onError("velocity counters", error),
      );
    },
    start: () => [
      books.start(onError),
      startRuleCheck(deps, onError),
      startVelocityMerge({ ...deps, velocity }, onError),
    ],
  };
}
