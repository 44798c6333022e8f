const onThisMachine = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * Returns the origin at which browsers reach the service. On a developer's machine that is `localhost` instead of an
 * IP address, because passkeys require a host name and all pages must share one cookie.
 */
export function browserAddress(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (url.protocol === "http:" && onThisMachine.test(url.hostname)) url.hostname = "localhost";
  return url.origin;
}

/** Returns whether browsers treat this URL as secure and accept a cookie marked Secure from it. */
export function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || onThisMachine.test(hostname) || hostname.endsWith(".localhost");
}
