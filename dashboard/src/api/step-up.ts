/**
 * Some acts want a person who has proved just now that it is them. Whoever sends such a request waits here until the
 * dialog, which stands at the root of the app, has been passed or closed.
 */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
let asking: Promise<boolean> | null = null;

/** The dialog says how it is asked; it takes its word back when it leaves the page. */
export function answerProofsWith(how: Ask): () => void {
  ask = how;
  return () => {
    if (ask === how) ask = null;
  };
}

/** True when the person has proved it. Several requests at once are one question. */
export function proveAgain(): Promise<boolean> {
  if (!ask) return Promise.resolve(false);
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}
