import type { SetUpOperator } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { violates } from "../../platform/database/sql.ts";
import { passwordByLink } from "./attempt-limiter.ts";
import { type Browser, createSession, renewAfterStepUp } from "./create-session.ts";
import { rejectWeakPassword } from "./password-rules.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { insertPerson, operatorExists, setOperator } from "./person.sql.ts";
import { recordPersonAuditEntry } from "./record-person-audit-entry.ts";
import type { SignedIn } from "./session.ts";
import { findLink, useLink } from "./use-link.ts";

/**
 * Creates the first operator, for the holder of the setup link that the service prints when it starts. The link can be
 * used once. Returns the session cookie.
 */
export async function setUpOperator(
  deps: PeopleDeps,
  { token, email, name, password }: SetUpOperator,
  browser: Browser,
): Promise<string> {
  await findLink(deps, "set_up_operator", token);
  await rejectWeakPassword(password, { email, name });
  await deps.guard.take([passwordByLink(token, "unknown")]);
  const passwordHash = await deps.passwords.hash(password, "unknown");
  const now = deps.clock.now();
  try {
    return await deps.database.transaction(async (tx) => {
      await useSetUpLink(deps, tx, token);
      const id = newId("per", now);
      await insertPerson(tx, { id, email, name: name.trim(), passwordHash, operator: true });
      const cookie = await createSession(tx, { person: id, secondFactor: false, browser, now });
      const who = { person: id, email, session: null, ip: browser.ip };
      await recordPersonAuditEntry(tx, who, "operator.set_up", deps);
      return cookie;
    });
  } catch (error) {
    if (violates(error, "people_email_unique")) throw signInFirst();
    throw error;
  }
}

/** Makes a signed-in person the first operator. */
export async function becomeOperator(
  deps: PeopleDeps,
  who: SignedIn,
  token: string,
): Promise<string> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    await useSetUpLink(deps, tx, token);
    await setOperator(tx, who.person, true);
    const cookie = await renewAfterStepUp(tx, who, { secondFactor: false, now });
    await recordPersonAuditEntry(tx, who, "operator.set_up", deps);
    return cookie;
  });
}

async function useSetUpLink(deps: PeopleDeps, tx: Tx, token: string): Promise<void> {
  await useLink(tx, "set_up_operator", token, deps.clock.now());
  // Rejects the link if an operator exists: a second server may have printed another link, or `florin operator add`
  // may have run.
  if (await operatorExists(tx)) throw setUpDone();
}

function setUpDone(): ApiError {
  return new ApiError(
    "link_invalid",
    "An operator already exists, so the setup link is no longer valid. Sign up in the dashboard. Then ask an operator to add you, or run `florin operator add` with your email address on the server.",
    { param: "token" },
  );
}

function signInFirst(): ApiError {
  return new ApiError(
    "resource_already_exists",
    "A user with this email address already exists. Sign in, and open the link again.",
    { param: "email" },
  );
}
