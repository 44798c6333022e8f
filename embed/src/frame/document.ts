import { chooseLocale, directionOf, type Language } from "./locales/choose-locale.ts";

/** The files of the build, by name below `/embed/` (`embed/dist/manifest.json`). */
export type EmbedManifest = {
  /** The loader under its unversioned name and under its pinned name, with the pinned file's SRI hash. */
  readonly loader: string;
  readonly pinnedLoader: string;
  readonly loaderIntegrity: string;
  readonly frameScript: string;
  readonly frameStyle: string;
  readonly challengeScript: string;
  readonly challengeStyle: string;
  /** The script of the page with Google Pay's button, which is served at the second origin only. */
  readonly googlePayScript: string;
  /** The dictionary file of each language. */
  readonly words: Readonly<Record<Language, string>>;
};

export type DocumentMerchant = {
  /** The merchant's name, for the page title. */
  readonly name: string;
  /**
   * The path of the stylesheet with the merchant's colors. The document links to it directly, so that the skeleton
   * already has the colors.
   */
  readonly stylesheet: string | null;
};

export type FrameDocument = {
  readonly manifest: EmbedManifest;
  /**
   * The merchant's name and colors, which the server reads without the client secret. The client secret is in the URL
   * fragment, which browsers never send to a server.
   */
  readonly merchant?: DocumentMerchant;
  /** `frame` if the request's Sec-Fetch-Dest is `iframe`. The skeleton then shows only the form. */
  readonly surface?: "page" | "frame";
  /** Language tags in order of preference. */
  readonly locales?: readonly (string | null | undefined)[];
};

/**
 * Returns the HTML of the card frame. It has no inline script or style, so that a strict CSP can apply. The skeleton
 * has the dimensions of the form that replaces it, so that the layout does not shift.
 */
export function frameDocument(options: FrameDocument): string {
  const { manifest, merchant, surface = "page", locales = [] } = options;
  const { language, tag } = chooseLocale(locales);
  const title = merchant ? `Pay ${merchant.name}` : "Payment";
  return `<!doctype html>
<html lang="${tag}" dir="${directionOf(language)}" data-surface="${surface}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/embed/${manifest.frameStyle}">
${stylesheetOf(merchant)}<link rel="modulepreload" href="/embed/${manifest.words[language]}">
<script type="module" src="/embed/${manifest.frameScript}"></script>
</head>
<body>
<div id="florin" aria-busy="true">
${surface === "page" ? summarySkeleton : ""}<main class="card">${formSkeleton}</main>
</div>
<noscript><p class="noscript">Paying by card requires JavaScript. Enable JavaScript, then reload this page.</p></noscript>
</body>
</html>
`;
}

/** Returns a line with the `link` element that loads the merchant's colors, or an empty string. */
export function stylesheetOf(merchant: DocumentMerchant | null | undefined): string {
  return merchant?.stylesheet
    ? `<link rel="stylesheet" href="${escapeHtml(merchant.stylesheet)}">\n`
    : "";
}

const summarySkeleton = `<div class="summary skeleton"><i class="bone initial"></i><i class="bone line"></i><i class="bone amount"></i></div>
`;

const fieldSkeleton = `<div class="field"><i class="bone label"></i><i class="bone box"></i></div>`;

const formSkeleton = `<div class="skeleton"><i class="bone heading"></i>${fieldSkeleton}<div class="pair">${fieldSkeleton}${fieldSkeleton}</div>${fieldSkeleton}<i class="bone pay"></i></div>`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => entities[letter] as string);
}
