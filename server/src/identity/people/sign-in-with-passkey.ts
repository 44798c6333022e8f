import type { PasskeyCredential } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { beginSession } from "./begin-session.ts";
import type { Browser } from "./create-session.ts";
import { recordFailedSignIn } from "./failed-sign-in.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readPerson } from "./person.sql.ts";
import { verifyPasskey } from "./verify-passkey.ts";

/**
 * Signs in with a passkey, which identifies the person and counts as two factors. Attempts are not limited, because a
 * signature cannot be guessed.
 */
export async function signInWithPasskey(
  deps: PeopleDeps,
  credential: PasskeyCredential,
  browser: Browser,
): Promise<{ cookie: string; email: string }> {
  const id = await verifyPasskey(deps, credential, { purpose: "sign_in", person: null });
  const person = id && (await readPerson(deps.database.read, id));
  if (!person) {
    await recordFailedSignIn(deps, { kind: "passkey", person: null, ip: browser.ip });
    throw unknownPasskey();
  }
  const factor = {
    kind: "passkey",
    credentialId: Buffer.from(credential.id, "base64url"),
  } as const;
  const cookie = await beginSession(deps, person, { factor, browser });
  return { cookie, email: person.email };
}

function unknownPasskey(): ApiError {
  return new ApiError(
    "sign_in_failed",
    "The passkey is not registered, or its response was invalid or arrived too late. Try again, or use your password.",
  );
}
