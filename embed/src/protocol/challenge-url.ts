/**
 * Parses the fragment of a challenge URL, `/challenge/…#secret_…&session=…`. The fragment contains the challenge's
 * secret. If the card form redirected its window to the challenge, it also contains the card form's fragment for the
 * return. Browsers do not send fragments, so neither the challenge's secret nor the session's secret appears in a
 * server log or a Referer header.
 */
export function readChallengeFragment(fragment: string): {
  secret: string;
  session: string | null;
} {
  const [secret = "", ...rest] = fragment.replace(/^#/, "").split("&");
  return { secret, session: new URLSearchParams(rest.join("&")).get("session") };
}

/** Appends the card form's fragment to a challenge URL, for the return to the card form. */
export function withReturnFragment(address: string, fragment: string): string {
  return `${address}&session=${encodeURIComponent(fragment.replace(/^#/, ""))}`;
}
