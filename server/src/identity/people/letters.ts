import type { Mail } from "../../platform/mail/mail.ts";

/** Mails about sign-in, in plain words with the link on a line of its own. */

const dashboard = "/dashboard";

export function signUpLetter(origin: string, to: string, token: string): Mail {
  return letter(to, "Confirm your email address", [
    "Somebody, most likely you, wants to sign up with this address. Go on here within 24 hours:",
    `${origin}${dashboard}/sign-up#${token}`,
    "If it was not you, do nothing: without this link there will be no account.",
  ]);
}

export function alreadySignedUpLetter(origin: string, to: string): Mail {
  return letter(to, "You already have an account", [
    "Somebody, most likely you, wanted to sign up with this address, which has an account already. Sign in here:",
    `${origin}${dashboard}/sign-in`,
    "If you forgot your password, you can choose a new one there. If it was not you, do nothing.",
  ]);
}

export function resetLetter(origin: string, to: string, token: string): Mail {
  return letter(to, "Choose a new password", [
    "Somebody, most likely you, wants to choose a new password. Do so here within 30 minutes:",
    `${origin}${dashboard}/reset#${token}`,
    "Your authenticator app and your passkeys stay as they are. If it was not you, do nothing: your password is still good.",
  ]);
}

export function nobodyToResetLetter(origin: string, to: string): Mail {
  return letter(to, "There is no account with this address", [
    "Somebody, most likely you, wanted to choose a new password for this address, which has no account here. Perhaps you signed up with another. You can sign up with this one:",
    `${origin}${dashboard}/sign-up`,
    "If it was not you, do nothing.",
  ]);
}

/** Returns the mail about a changed credential, so that an attacker cannot change one unnoticed. */
export function changedLetter(to: string, what: string): Mail {
  return letter(to, what, [
    `${what}.`,
    "If it was not you, choose a new password at once, and look at the list of your sessions.",
  ]);
}

function letter(to: string, subject: string, paragraphs: readonly string[]): Mail {
  return { to, subject, text: `${paragraphs.join("\n\n")}\n` };
}
