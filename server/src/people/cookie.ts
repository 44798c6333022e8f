/**
 * `__Host-` cookies: sent to this very host, over https, and by no page that another host set it for. Strict: sent only
 * with requests that our own pages make. Browsers count http on their own machine as safe.
 */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** Returns a cookie that ends with the browser's session. */
export function browserSessionCookie(name: string, value: string): string {
  return `${name}=${value}; ${attributes}`;
}

/** Returns a cookie that the browser keeps for so long. */
export function keptCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`;
}

/** Returns the value of a cookie in a Cookie header, or null when it is not there. */
export function cookieIn(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
