import { queries } from "./queries.ts";
import { send } from "./send.ts";

/** Ends the session here, and leaves nothing of it on the page. Who is signed out already is just as gone. */
export async function signOut(): Promise<void> {
  const out = { method: "POST", path: "/auth/v1/sign_out", body: {}, unasked: true } as const;
  await send(out).catch(() => null);
  queries.clear();
  location.assign("/dashboard/sign-in");
}
