import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  type ArchiveDeps,
  type ArchivePolicy,
  archivePayments,
  skippedText,
} from "./archive-payments.ts";

/** Moves payments older than the policy to archives, once an hour. */
export function startArchive(
  deps: ArchiveDeps,
  policy: ArchivePolicy,
  background: Background,
): Loop {
  return startLoop({
    name: "archive",
    everyMs: 60 * 60_000,
    background,
    async work(signal) {
      const { skipped } = await archivePayments(deps, policy, signal);
      if (skipped > 0) throw new Error(`archive: ${skippedText(skipped)}`);
      return false;
    },
  });
}
