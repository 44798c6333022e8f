const onThisMachine = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * Returns the origin at which browsers reach the service. On a developer's machine that is `localhost` and not an IP
 * address, because a passkey belongs to a name and one cookie serves all pages.
 */
export function browserAddress(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (url.protocol === "http:" && onThisMachine.test(url.hostname)) url.hostname = "localhost";
  return url.origin;
}

/** Returns whether browsers treat this URL as secure, and so keep a cookie marked Secure. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || onThisMachine.test(hostname) || hostname.endsWith(".localhost");
}
