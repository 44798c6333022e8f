import { queries } from "./query-client.ts";
import { send } from "./send.ts";
import { readingMe } from "./signed-in-person.ts";

/** Notifies the other tabs of the dashboard that the person has signed out. */
const signedOut = new BroadcastChannel("florin-signed-out");

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
  signedOut.postMessage(null);
}

/**
 * Leaves the page when the person signs out in another tab, so that the next user of the device does not see the
 * person's data.
 */
export function followSignOut(): void {
  signedOut.onmessage = () => {
    if (queries.getQueryData(readingMe.queryKey) !== undefined) leave();
  };
}

function leave(): void {
  queries.clear();
  location.assign("/dashboard/sign-in");
}
