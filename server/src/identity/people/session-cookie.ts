import { browserSessionCookie, cookieIn, keptCookie } from "./cookie.ts";

const name = "__Host-florin_session";

/** A session cookie without Max-Age. The server decides when the session expires. */
export const sessionCookie = (token: string): string => browserSessionCookie(name, token);

export const clearedCookie = keptCookie(name, "", 0);

/** Returns the token in a Cookie header, or null when there is none. */
export const tokenIn = (header: string | undefined): string | null => cookieIn(header, name);
