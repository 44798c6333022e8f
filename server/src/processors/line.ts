import type { Clock } from "../primitives/clock.ts";
import type { Overheard } from "./overhear.ts";

/** Whether an acquirer is to be reached, told from what comes of the questions that it is asked anyway. */
export type Line = {
  hear(overheard: Pick<Overheard, "about" | "answer">): void;
  /** True while nothing that can be used comes back, whatever is asked about. */
  isSilent(): boolean;
};

/** Of fewer, one payment may be to blame: it is asked about three times within a quarter of a minute. */
const silentAboutAtLeast = 3;
const silentAfterMs = 10_000;

export function openLine(clock: Clock): Line {
  /** What was asked about in vain since the last answer, and since when; no more of it than matters. */
  const unanswered = new Set<string>();
  let since = clock.now();
  return {
    hear({ about, answer }) {
      if (answer.kind !== "unknown" && answer.kind !== "not_sent") return unanswered.clear();
      if (unanswered.size === 0) since = clock.now();
      if (unanswered.size < silentAboutAtLeast) unanswered.add(about);
    },
    isSilent() {
      const silentMs = clock.now().getTime() - since.getTime();
      return unanswered.size >= silentAboutAtLeast && silentMs >= silentAfterMs;
    },
  };
}
