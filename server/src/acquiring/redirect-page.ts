import { isLoopback } from "../core/loopback.ts";

/** Returns whether the page uses HTTPS, or is the page of a fake acquirer on this machine. */
export function isSafePage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
