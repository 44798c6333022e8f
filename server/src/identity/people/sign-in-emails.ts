import type { Mail } from "../../platform/mail/mail.ts";

/** Email templates for sign-in. Each link is on a separate line. */

const dashboard = "/dashboard";

export function signUpEmail(origin: string, to: string, token: string): Mail {
  return emailTo(to, "Confirm your email address", "Confirm email address", [
    "We received a request to sign up with this email address. To confirm the address, open this link within 24 hours:",
    `${origin}${dashboard}/sign-up#${token}`,
    "If you did not request this, ignore this email. No account is created unless you open the link.",
  ]);
}

export function alreadySignedUpEmail(origin: string, to: string): Mail {
  return emailTo(to, "You already have an account", "Sign in", [
    "We received a request to sign up with this email address, which already has an account. Sign in here:",
    `${origin}${dashboard}/sign-in`,
    "If you forgot your password, you can reset it on the sign-in page. If you did not request this, ignore this email.",
  ]);
}

export function passwordResetEmail(origin: string, to: string, token: string): Mail {
  return emailTo(to, "Reset your password", "Reset password", [
    "We received a request to reset your password. Choose a new password here within 30 minutes:",
    `${origin}${dashboard}/reset#${token}`,
    "The reset does not change your authenticator app or your passkeys. If you did not request the reset, ignore this email. Your current password stays valid.",
  ]);
}

export function noAccountToResetEmail(origin: string, to: string): Mail {
  return emailTo(to, "No user with this email address", "Sign up", [
    "We received a request to reset the password for this email address, but no user has this address. You may have signed up with another address. To sign up with this address, open this link:",
    `${origin}${dashboard}/sign-up`,
    "If you did not request this, ignore this email.",
  ]);
}

/** Notifies the person of a changed credential, so that an attacker cannot change a credential unnoticed. */
export function credentialChangedEmail(to: string, what: string): Mail {
  return emailTo(to, what, null, [
    `${what}.`,
    "If you did not expect this, reset your password immediately and review your list of sessions.",
  ]);
}

function emailTo(
  to: string,
  subject: string,
  action: string | null,
  paragraphs: readonly string[],
): Mail {
  return { to, subject, action, text: `${paragraphs.join("\n\n")}\n` };
}
