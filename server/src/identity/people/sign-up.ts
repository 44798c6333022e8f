import type { CompleteSignUp } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import { violates } from "../../platform/database/sql.ts";
import { createMerchant } from "../accounts/create-merchant.ts";
import { passwordByLink } from "./attempt-limiter.ts";
import { type Browser, createSession } from "./create-session.ts";
import { rejectWeakPassword } from "./password-rules.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { insertPerson } from "./person.sql.ts";
import { findLink, useLink } from "./use-link.ts";

/**
 * Completes a sign-up and returns the session cookie and the email address. The password is chosen only after the
 * address is confirmed. Otherwise an attacker could prepare an account that its victim then confirms.
 */
export async function completeSignUp(
  deps: PeopleDeps,
  chosen: CompleteSignUp,
  browser: Browser,
): Promise<{ cookie: string; email: string }> {
  const link = await findLink(deps, "sign_up", chosen.token);
  const name = chosen.name.trim();
  await rejectWeakPassword(chosen.password, { email: link.email, name });
  await deps.guard.take([passwordByLink(chosen.token, "unknown")]);
  const passwordHash = await deps.passwords.hash(chosen.password, "unknown");
  const now = deps.clock.now();
  try {
    return await deps.database.transaction(async (tx) => {
      const { email } = await useLink(tx, "sign_up", chosen.token, now);
      const id = newId("per", now);
      await insertPerson(tx, { id, email, name, passwordHash, operator: false });
      const cookie = await createSession(tx, { person: id, secondFactor: false, browser, now });
      const merchant = { name: chosen.merchant_name.trim(), country: chosen.country };
      await createMerchant(tx, { id, email, ip: browser.ip }, merchant, deps.clock);
      return { cookie, email };
    });
  } catch (error) {
    if (violates(error, "people_email_unique")) throw alreadySignedUp();
    throw error;
  }
}

/**
 * Returns the error for a sign-up whose email address already has a user, for example because another link to the
 * address was used. Only the holder of a link, who reads that mailbox, receives this error.
 */
function alreadySignedUp(): ApiError {
  return new ApiError(
    "resource_already_exists",
    "A user with this email address already exists. Sign in.",
  );
}
