import { queries } from "./query-client.ts";
import { send } from "./send.ts";
import { readingMe } from "./signed-in-person.ts";

/** The channel on which a tab tells the other tabs of the dashboard that the person has signed out. */
const signedOut = new BroadcastChannel("florin-signed-out");

/** Ends the session and clears all data of the page. Also succeeds if the session has already ended. */
export async function signOut(): Promise<void> {
  await send({
    method: "POST",
    path: "/auth/v1/sign_out",
    body: {},
    withoutDialogs: true,
  }).catch(() => null);
  signedOut.postMessage(null);
  leave();
}

/**
 * Leaves the page when the person signs out in another tab. Otherwise the page would show data to the next person at the
 * device.
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
