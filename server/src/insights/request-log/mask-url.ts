import { maskSecrets } from "../../core/mask-secrets.ts";

const maxUrlLength = 1_000;

/**
 * Returns a path or query with its secrets masked, cut to the maximum length. The result is decoded only if decoding
 * reveals a secret, as in `4242%204242…`.
 */
export function maskUrl(text: string): string {
  const read = text
    .replaceAll("+", " ")
    .replace(/%([2-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const masked = maskSecrets(read);
  return (masked === read ? maskSecrets(text) : masked).slice(0, maxUrlLength);
}
