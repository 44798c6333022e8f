import type { Clock } from "../core/clock.ts";
import type { Overheard } from "./overhear.ts";

/** Acquirer health, derived from the responses to regular requests. */
export type Line = {
  hear(overheard: Pick<Overheard, "about" | "answer">): void;
  /** Returns true while every request fails, about at least three references and for at least ten seconds. */
  isSilent(): boolean;
};

/** Below this number one payment may be the cause: it is sent about three times within 15 seconds. */
const silentAboutAtLeast = 3;
const silentAfterMs = 10_000;

export function openLine(clock: Clock): Line {
  /**
   * References without a response since the last one, and the time of the first. No more than the threshold is kept.
   */
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
