import { createPrompt } from "./prompt.ts";

/** Shows the sign-in dialog over the page when a session ends, so that typed input stays. */
export const signInPrompt = createPrompt();

/** After the dialog was closed, background reads do not show it again for this long. Operations of the person do. */
const notAgainForMs = 60_000;

let closedAt = Number.NEGATIVE_INFINITY;

/** Returns true when the same person is signed in again. */
export async function signInAgain({ pressed }: { pressed: boolean }): Promise<boolean> {
  if (!pressed && performance.now() - closedAt < notAgainForMs) return false;
  const signedIn = await signInPrompt.open();
  closedAt = signedIn ? Number.NEGATIVE_INFINITY : performance.now();
  return signedIn;
}
