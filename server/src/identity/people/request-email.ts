import { ApiError } from "../../core/api-error.ts";
import { networkOf, siteOf } from "../../core/network.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { type KnownBrowser, mailSubjects } from "./attempt-limiter.ts";
import { noPerson } from "./failed-sign-in.sql.ts";
import { deleteLinksOfPerson, insertLink } from "./link.sql.ts";
import { type Link, linkTtlMs } from "./link.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readPersonByEmail } from "./person.sql.ts";
import { hashSecretText, newSecretText } from "./secret-text.ts";
import {
  alreadySignedUpEmail,
  noAccountToResetEmail,
  passwordResetEmail,
  signUpEmail,
} from "./sign-in-emails.ts";

type RequestedLink = Exclude<Link, { purpose: "set_up_operator" }>;

/**
 * Sends a sign-up or password reset mail. The response and its timing do not depend on whether the person exists. Only
 * the mail reveals whether the person exists, and it is sent to the owner of the email address.
 */
export async function requestEmail(
  deps: PeopleDeps,
  about: "sign_up" | "reset_password",
  { email, ip, browser }: { email: string; ip: string; browser: KnownBrowser | null },
): Promise<void> {
  if (!deps.canMail) throw cannotMail();
  await deps.guard.take(mailSubjects(email, browser, ip));
  const network = siteOf(ip) ?? networkOf(ip);
  const origin = deps.browserAddress();
  const now = deps.clock.now();
  const token = newSecretText();
  const expiresAt = new Date(now.getTime() + linkTtlMs[about]);

  await deps.database.transaction(async (tx) => {
    const known = await readPersonByEmail(tx, email);
    const [mail, link] = write();
    // The same statements run whether or not the person exists, so a link is inserted even if the email does not
    // contain its token. Earlier reset links are revoked, so that only the newest one is valid.
    await deleteLinksOfPerson(tx, link.purpose === "reset_password" ? link.person : noPerson);
    await insertLink(tx, hashSecretText(token), link);
    await queueMail(tx, mail, { kind: "link", browser: browser?.id ?? null, network }, now);

    function write(): [mail: ReturnType<typeof passwordResetEmail>, link: RequestedLink] {
      const signUpLink = { purpose: "sign_up", email, expiresAt } as const;
      if (about === "sign_up") {
        return known
          ? [alreadySignedUpEmail(origin, known.email), signUpLink]
          : [signUpEmail(origin, email, token), signUpLink];
      }
      if (!known) return [noAccountToResetEmail(origin, email), signUpLink];
      const link = { purpose: about, person: known.id, email: known.email, expiresAt };
      return [passwordResetEmail(origin, known.email, token), link];
    }
  });
}

function cannotMail(): ApiError {
  return new ApiError(
    "mail_not_configured",
    "This request requires email, but no mail server is configured. Ask the operator to set `FLORIN_SMTP_URL`.",
  );
}
