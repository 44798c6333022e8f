import { randomBytes, timingSafeEqual } from "node:crypto";
import type { KnownBrowser } from "./attempt-limiter.ts";
import { cookieIn, keptCookie } from "./cookie.ts";
import type { PersonSecrets } from "./people-deps.ts";
import { normalizeEmail } from "./person.ts";

/**
 * The name of the cookie that marks a browser in which the person signed in before. The cookie does not authenticate
 * the person (OWASP: "Slow Down Online Guessing Attacks with Device Cookies").
 */
const name = "__Host-florin_browser";

/** Browsers keep no cookie longer than 400 days (RFC 6265bis §5.6.2). */
const maxAgeSeconds = 400 * 24 * 60 * 60;

const form = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** Returns the cookie that marks a browser as known for this email address. */
export async function knownBrowserCookie(secrets: PersonSecrets, email: string): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  const mac = await macOf(secrets, email, id);
  return keptCookie(name, `${id}.${mac.toString("base64url")}`, maxAgeSeconds);
}

/** Returns the browser identified by a Cookie header, or null if the browser is not known for this email address. */
export async function readKnownBrowser(
  secrets: PersonSecrets,
  cookies: string | undefined,
  email: string,
): Promise<KnownBrowser | null> {
  const [, id, mac] = form.exec(cookieIn(cookies, name) ?? "") ?? [];
  if (id === undefined || mac === undefined) return null;
  const expected = await macOf(secrets, email, id);
  return timingSafeEqual(Buffer.from(mac, "base64url"), expected) ? { id } : null;
}

/** Returns the cookie that marks the browser of a signed-in person, or no cookie if the browser is already marked. */
export async function markBrowser(
  secrets: PersonSecrets,
  cookies: string | undefined,
  email: string,
): Promise<string[]> {
  const isKnown = await readKnownBrowser(secrets, cookies, email);
  return isKnown ? [] : [await knownBrowserCookie(secrets, email)];
}

function macOf(secrets: PersonSecrets, email: string, id: string): Promise<Buffer> {
  return secrets.mac(`known_browser|${id}|${normalizeEmail(email)}`);
}
