import { showToast } from "../../components/toast.tsx";

/** Shows the text `done`, or a text that says that the change waits for a second operator. */
export function showDoneToast(response: unknown, done: string): void {
  const isProposal = (response as { object?: unknown } | null)?.object === "proposal";
  showToast(isProposal ? "Change proposed. A second operator must confirm the change." : done);
}
