/**
 * Parses the fragment of a challenge URL, `/challenge/…#secret_…&session=…`. It holds the challenge's secret and, for
 * a redirect of the card form's own window, the card form's fragment for the way back. Browsers do not send fragments,
 * so neither secret reaches a server log or a Referer header.
 */
export function readChallengeFragment(fragment: string): {
  secret: string;
  session: string | null;
} {
  const [secret = "", ...rest] = fragment.replace(/^#/, "").split("&");
  return { secret, session: new URLSearchParams(rest.join("&")).get("session") };
}

/** Appends the card form's own fragment to a challenge URL. */
export function withWayBack(address: string, fragment: string): string {
  return `${address}&session=${encodeURIComponent(fragment.replace(/^#/, ""))}`;
}
