import { say } from "../../components/toast.tsx";

/** Says what was done, or that it waits for a second operator. */
export function sayDone(answer: unknown, done: string): void {
  const isProposal = (answer as { object?: unknown } | null)?.object === "proposal";
  say(isProposal ? "Proposed. A second operator must confirm it." : done);
}
