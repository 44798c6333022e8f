/**
 * Returns a warning when the service is reached over https, and so behind a proxy, but trusts none, or null.
 *
 * The service then sees the proxy's address on every request. All browsers share the limits of one network, so the
 * limits stop customers instead of card testers, and payments are counted without an address.
 */
export function proxyTrustWarning(settings: {
  readonly publicUrl: string | null;
  readonly trustedProxies: readonly string[];
}): string | null {
  const { publicUrl, trustedProxies } = settings;
  if (!publicUrl?.startsWith("https:") || trustedProxies.length > 0) return null;
  return "FLORIN_PUBLIC_URL is an https address and FLORIN_TRUSTED_PROXIES is off, so all browsers behind the proxy count as one network: limits on requests and on card testing cannot tell them apart. Set FLORIN_TRUSTED_PROXIES to the network of the proxy that speaks TLS.";
}
