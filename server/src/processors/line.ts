import type { Clock } from "../primitives/clock.ts";
import type { Overheard } from "./overhear.ts";

/** Whether an acquirer is to be reached, told from what comes of the questions that it is asked anyway. */
export type Line = {
  hear(overheard: Pick<Overheard, "answer">): void;
  /** True while nothing comes back, to whatever is asked. */
  isSilent(): boolean;
};

/** Less than this is one payment's bad luck. */
const silentAfterQuestions = 3;
const silentAfterMs = 10_000;

export function openLine(clock: Clock): Line {
  let unanswered = 0;
  let since = clock.now();
  return {
    hear({ answer }) {
      if (answer.kind !== "unknown" && answer.kind !== "not_sent") unanswered = 0;
      else if (unanswered++ === 0) since = clock.now();
    },
    isSilent() {
      const silentMs = clock.now().getTime() - since.getTime();
      return unanswered >= silentAfterQuestions && silentMs >= silentAfterMs;
    },
  };
}
