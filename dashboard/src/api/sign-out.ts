import { queries } from "./query-client.ts";
import { send } from "./send.ts";
import { readingMe } from "./signed-in-person.ts";

/** Sends the ID of the signed-in person to the other tabs of the dashboard, or null after a sign-out. */
const signedInPerson = new BroadcastChannel("florin-signed-in-person");

/** Ends the session and clears all data of the page. Also succeeds if the session has already ended. */
export async function signOut(): Promise<void> {
  await send({
    method: "POST",
    path: "/auth/v1/sign_out",
    body: {},
    withoutDialogs: true,
  }).catch(() => null);
  announceSignOut();
  leave();
}

/** Makes the other tabs of the dashboard leave their pages. */
export function announceSignOut(): void {
  signedInPerson.postMessage(null);
}

/** Makes the other tabs of the dashboard reload their pages if they show another person's. */
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
    if (id === null) leave();
    else location.reload();
  };
}

/** Calls the function after a person has signed in in another tab. Returns a function that ends the calls. */
export function onSignInElsewhere(call: () => void): () => void {
  const receive = ({ data: id }: MessageEvent<string | null>) => {
    if (id !== null) call();
  };
  signedInPerson.addEventListener("message", receive);
  return () => signedInPerson.removeEventListener("message", receive);
}

function leave(): void {
  queries.clear();
  location.assign("/dashboard/sign-in");
}
