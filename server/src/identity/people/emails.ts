import type { Mail } from "../../platform/mail/mail.ts";

/** Email templates for sign-in. Each link is on a separate line. */

const dashboard = "/dashboard";

export function signUpEmail(origin: string, to: string, token: string): Mail {
  return emailTo(to, "Confirm your email address", [
    "A sign-up was requested with this address. To confirm it, open this link within 24 hours:",
    `${origin}${dashboard}/sign-up#${token}`,
    "If you did not request this, ignore this email. No account is created without the link.",
  ]);
}

export function alreadySignedUpEmail(origin: string, to: string): Mail {
  return emailTo(to, "You already have an account", [
    "A sign-up was requested with this address, which already has an account. Sign in here:",
    `${origin}${dashboard}/sign-in`,
    "If you forgot your password, you can reset it there. If you did not request this, ignore this email.",
  ]);
}

export function passwordResetEmail(origin: string, to: string, token: string): Mail {
  return emailTo(to, "Reset your password", [
    "A new password was requested for your account. Choose one here within 30 minutes:",
    `${origin}${dashboard}/reset#${token}`,
    "Your authenticator app and your passkeys do not change. If you did not request this, ignore this email. Your password stays valid.",
  ]);
}

export function noAccountToResetEmail(origin: string, to: string): Mail {
  return emailTo(to, "No user with this email address", [
    "A password reset was requested for this email address, but no user has it. You may have signed up with another address. To sign up with this one, open:",
    `${origin}${dashboard}/sign-up`,
    "If you did not request this, ignore this email.",
  ]);
}

/** Notifies the person of a changed credential, so that an attacker cannot change one unnoticed. */
export function credentialChangedEmail(to: string, what: string): Mail {
  return emailTo(to, what, [
    `${what}.`,
    "If you did not make this change, reset your password immediately and check the list of your sessions.",
  ]);
}

function emailTo(to: string, subject: string, paragraphs: readonly string[]): Mail {
  return { to, subject, text: `${paragraphs.join("\n\n")}\n` };
}
