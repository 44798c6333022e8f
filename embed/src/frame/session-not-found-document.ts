import { type DocumentMerchant, type EmbedManifest, escapeHtml, stylesheetOf } from "./document.ts";
import { chooseLocale, directionOf } from "./locales/choose-locale.ts";
import { dictionaries } from "./locales/dictionaries.ts";
import type { Words } from "./locales/words.ts";

export type SessionNotFoundDocument = {
  readonly manifest: EmbedManifest;
  /** Null if the URL does not identify a session. */
  readonly merchant: DocumentMerchant | null;
  /** Language tags in order of preference. */
  readonly locales: readonly (string | null | undefined)[];
};

/** Returns the HTML of the page for a damaged or outdated URL of a checkout session. The page needs no script. */
export function sessionNotFoundDocument({
  manifest,
  merchant,
  locales,
}: SessionNotFoundDocument): string {
  const { language, tag } = chooseLocale(locales);
  const words = dictionaries[language];
  return `<!doctype html>
<html lang="${tag}" dir="${directionOf(language)}" data-surface="page">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(words.missingTitle)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/embed/${manifest.frameStyle}">
${stylesheetOf(merchant)}</head>
<body>
<div id="florin">
${merchant === null ? "" : merchantHeader(merchant.name, words)}<main class="card"><div class="outcome calm">
<h1>${escapeHtml(words.missingTitle)}</h1>
<p>${escapeHtml(words.missing)}</p>
</div></main>
</div>
</body>
</html>
`;
}

function merchantHeader(name: string, words: Words): string {
  const initial = [...name][0]?.toUpperCase() ?? "";
  return `<header class="summary" aria-label="${escapeHtml(words.payTo(name))}"><div class="merchant"><span class="initial" aria-hidden="true">${escapeHtml(initial)}</span><span class="merchant-name">${escapeHtml(name)}</span></div></header>
`;
}
