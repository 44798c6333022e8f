import { queries } from "./query-client.ts";
import { readingMe } from "./signed-in-person.ts";

/** Sends the ID of the signed-in person to the other tabs of the dashboard, or null after a sign-out. */
const signedInPerson = new BroadcastChannel("florin-signed-in-person");

/** True after the page's data was cleared. The browser can still restore the page from the back/forward cache. */
let isCleared = false;

/** Makes the other tabs of the dashboard leave their pages. */
export function announceSignOut(): void {
  signedInPerson.postMessage(null);
}

/** Makes the other tabs of the dashboard reload their pages if they show another person's data. */
export function announceSignedInPerson(id: string): void {
  signedInPerson.postMessage(id);
}

/**
 * Follows the sign-ins and sign-outs in other tabs. After a sign-out, leaves the page, so that the next user of the
 * device does not see the person's data. After a sign-in as another person, reloads the page. All tabs send the same
 * session cookie, so an operation on the page would otherwise be executed as the other person.
 */
export function followSignedInPerson(): void {
  signedInPerson.onmessage = ({ data: id }: MessageEvent<string | null>) => {
    const shown = queries.getQueryData(readingMe.queryKey);
    if (shown === undefined || shown.id === id) return;
    if (id === null) leaveSignedInPages();
    else location.reload();
  };
  // A page that the browser restores from the back/forward cache has received no messages in the meantime.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    if (isCleared) location.reload();
    else void queries.invalidateQueries(readingMe);
  });
}

/** Calls the function after a person has signed in in another tab. Returns a function that ends the calls. */
export function onSignInElsewhere(call: () => void): () => void {
  const receive = ({ data: id }: MessageEvent<string | null>) => {
    if (id !== null) call();
  };
  signedInPerson.addEventListener("message", receive);
  return () => signedInPerson.removeEventListener("message", receive);
}

/** Clears all data of the page and opens the sign-in page. */
export function leaveSignedInPages(): void {
  isCleared = true;
  queries.clear();
  location.assign("/dashboard/sign-in");
}
