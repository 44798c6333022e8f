/**
 * The address of the challenge document: `/challenge/…#secret_…&session=…`. The fragment holds the secret of the challenge
 * and, where the card form's own window goes there, the fragment of the card form, so that the way back leads to it.
 * Browsers send no fragment, so neither secret reaches a server's log or a Referer header.
 */
export function readChallengeFragment(fragment: string): {
  secret: string;
  session: string | null;
} {
  const [secret = "", ...rest] = fragment.replace(/^#/, "").split("&");
  return { secret, session: new URLSearchParams(rest.join("&")).get("session") };
}

/** Adds the card form's own fragment to the address of a challenge. */
export function withWayBack(address: string, fragment: string): string {
  return `${address}&session=${encodeURIComponent(fragment.replace(/^#/, ""))}`;
}
