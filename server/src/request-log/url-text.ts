import { maskSecrets } from "../primitives/mask-secrets.ts";

const longestUrlText = 1_000;

/**
 * A path or a query as it may be kept. It stays as it was sent, unless there is something in it that only shows itself
 * when the spaces and dashes are read: `4242%204242…`.
 */
export function urlText(text: string): string {
  const read = text
    .replaceAll("+", " ")
    .replace(/%([2-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const masked = maskSecrets(read);
  return (masked === read ? maskSecrets(text) : masked).slice(0, longestUrlText);
}
