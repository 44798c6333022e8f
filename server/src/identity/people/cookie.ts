/**
 * Attributes of `__Host-` cookies: sent to this host only, over https, and never set by another host. SameSite=Strict
 * limits them to requests of our own pages. Browsers treat http on localhost as secure.
 */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** Returns a cookie that ends with the browser's session. */
export function browserSessionCookie(name: string, value: string): string {
  return `${name}=${value}; ${attributes}`;
}

/** Returns a cookie that the browser keeps for this time. */
export function keptCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`;
}

/** Returns the value of a cookie in a Cookie header, or null when it is missing. */
export function cookieIn(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
