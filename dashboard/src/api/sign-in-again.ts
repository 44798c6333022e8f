import { createPrompt } from "./dialog-prompt.ts";

/** Shows the sign-in dialog over the page when a session ends, so that typed input is not lost. */
export const signInPrompt = createPrompt();

/**
 * After the person closes the dialog, background reads do not open it again for this time. Operations of the person
 * always open the dialog.
 */
const reopenDelayMs = 60_000;

let closedAt = Number.NEGATIVE_INFINITY;

/** Shows the dialog. Returns whether the same person has signed in again. */
export async function signInAgain({ pressed }: { pressed: boolean }): Promise<boolean> {
  if (!pressed && performance.now() - closedAt < reopenDelayMs) return false;
  const signedIn = await signInPrompt.open();
  closedAt = signedIn ? Number.NEGATIVE_INFINITY : performance.now();
  return signedIn;
}
