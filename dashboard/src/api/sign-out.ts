import { auth } from "./auth.ts";
import { queries } from "./queries.ts";

/** Ends the session here, and leaves nothing of it on the page. Who is signed out already is just as gone. */
export async function signOut(): Promise<void> {
  await auth.post("/sign_out").catch(() => null);
  queries.clear();
  location.assign("/dashboard/sign-in");
}
