import { announceSignOut, leaveSignedInPages } from "./other-tabs.ts";
import { send } from "./send.ts";

/** Ends the session and clears all data of the page. Also succeeds if the session has already ended. */
export async function signOut(): Promise<void> {
  await send({
    method: "POST",
    path: "/auth/v1/sign_out",
    body: {},
    withoutDialogs: true,
  }).catch(() => null);
  announceSignOut();
  leaveSignedInPages();
}
