import { openQuestion } from "./question.ts";

/** A session that ends under somebody's hands is begun again over the page, so that what they have typed stays there. */
export const newSession = openQuestion();

/** Pages that read by themselves do not ask somebody who has just closed the dialog. What they press does. */
const notAgainForMs = 60_000;

let closedAt = Number.NEGATIVE_INFINITY;

/** True when the same person is signed in again. */
export async function signInAgain({ pressed }: { pressed: boolean }): Promise<boolean> {
  if (!pressed && performance.now() - closedAt < notAgainForMs) return false;
  const signedIn = await newSession.ask();
  closedAt = signedIn ? Number.NEGATIVE_INFINITY : performance.now();
  return signedIn;
}
