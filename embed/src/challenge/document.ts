import type { CheckoutMode } from "@florin/contract/checkout-session.ts";
import { type EmbedManifest, escapeHtml } from "../frame/document.ts";
import { chooseLocale, directionOf } from "../frame/locales/choose-locale.ts";
import { dictionaries } from "../frame/locales/dictionaries.ts";
import { wordsOf } from "../frame/locales/words.ts";

export type ChallengeDocument = {
  readonly manifest: EmbedManifest;
  /** Language tags in order of preference. */
  readonly locales: readonly (string | null | undefined)[];
  /** `setup` if the cardholder saves a card and pays nothing. */
  readonly mode: CheckoutMode;
};

/**
 * Returns the challenge document, which frames the issuer's page. It contains no card data, no inline script and no
 * inline style. Its only state is its URL, and the service returns each next step. All texts are in the HTML, in the
 * customer's language.
 */
export function challengeDocument({ manifest, locales, mode }: ChallengeDocument): string {
  const { language, tag } = chooseLocale(locales);
  const words = wordsOf(dictionaries[language], mode);
  const textOf = (
    name: "actionTitle" | "leave" | "leaveConfirmation" | "stay" | "processingTitle",
  ) => escapeHtml(words[name]);
  return `<!doctype html>
<html lang="${tag}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${textOf("actionTitle")}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/embed/${manifest.challengeStyle}">
<script type="module" src="/embed/${manifest.challengeScript}"></script>
</head>
<body>
<main>
<header><h1>${textOf("actionTitle")}</h1><button id="leave" type="button">${textOf("leave")}</button></header>
<div id="question" role="alertdialog" aria-labelledby="leave-question" hidden>
<p id="leave-question">${textOf("leaveConfirmation")}</p>
<button id="stay" type="button">${textOf("stay")}</button>
<button id="stop" type="button">${textOf("leave")}</button>
</div>
<p id="status" role="status"><span class="spinner" aria-hidden="true"></span><span id="words">${textOf("processingTitle")}</span></p>
<p id="passed" hidden>${escapeHtml(words.authorizedTitle)}</p>
<p id="rejected" hidden>${escapeHtml(words.failedTitle)}</p>
<p id="info" hidden></p>
<div id="bank"></div>
</main>
<noscript><p class="noscript">Confirming with your bank requires JavaScript. Enable JavaScript, then reload this page.</p></noscript>
</body>
</html>
`;
}
