/**
 * `__Host-`: sent to this very host, over https, and by no page that another host set it for. Strict: sent only
 * with requests that our own pages make. Browsers count http on their own machine as safe.
 */
const name = "__Host-florin_session";

const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** A cookie of the browser's session: the server decides when it is over. */
export function sessionCookie(token: string): string {
  return `${name}=${token}; ${attributes}`;
}

export const clearedCookie = `${name}=; ${attributes}; Max-Age=0`;

/** The token in a Cookie header; null when there is none. */
export function tokenIn(header: string | undefined): string | null {
  for (const pair of header?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
