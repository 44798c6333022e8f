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

/**
 * Returns the value of a cookie in a Cookie header, or null when it is missing. Ignores only the space between cookies
 * (RFC 6265 §4.2.1). Another host of the domain can set a cookie whose name is a no-break space followed by `__Host-…`,
 * because browsers do not recognize that prefix. `trim` would remove the no-break space.
 */
export function cookieIn(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(/; ?/) ?? []) {
    const [key, value] = pair.split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
