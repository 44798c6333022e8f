import type { Loop } from "../jobs/loop.ts";
import { openAmountHistory } from "./amount-history.ts";
import { type RuleCheckDeps, startRuleCheck } from "./check-stored-rules.ts";
import { type Judge, openJudge } from "./judge.ts";
import { openRuleBooks, type RuleBooks } from "./rule-book.ts";
import { mergeVelocity, startVelocityMerge } from "./velocity.jobs.ts";
import { openVelocity } from "./velocity.ts";

/** A judge with a memory of its own, and what keeps that memory in step with the other processes'. */
export type Judging = {
  readonly judge: Judge;
  readonly books: RuleBooks;
  start(): Loop[];
  /** Tells the others what was counted since the last second, before this process stops. */
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
        onError("velocity", error),
      );
    },
    start: () => [
      books.start(onError),
      startRuleCheck(deps, onError),
      startVelocityMerge({ ...deps, velocity }, onError),
    ],
  };
}
