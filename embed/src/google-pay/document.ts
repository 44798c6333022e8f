import { type EmbedManifest, escapeHtml } from "../frame/document.ts";

export type GooglePayDocument = {
  readonly manifest: EmbedManifest;
  /** The origin of the card form, the only one with which the page exchanges messages. */
  readonly serviceOrigin: string;
  /** The nonce of the CSP. The page passes it to Google's script for the elements that this script adds. */
  readonly nonce: string;
};

/** The path of the page's script at the second origin. The file's name contains the hash of its content. */
export function googlePayScriptPath({ googlePayScript }: EmbedManifest): string {
  return `/${googlePayScript}`;
}

/** The origin of Google's script, and of the pages that it opens. */
export const googleOrigin = "https://pay.google.com";

export type GooglePayPolicy = Pick<GooglePayDocument, "serviceOrigin" | "nonce"> & {
  /** The origins of the pages above this one: the card form, and the shop's page that frames the form. */
  readonly ancestors: readonly string[];
  /** The URL that receives reports of violations. */
  readonly reportUrl: string;
};

/**
 * Returns the page's Content Security Policy. It allows what Google's script needs, and nothing else: the script's own
 * elements, which get the nonce (https://developers.google.com/pay/api/web/reference/request-objects#PaymentOptions),
 * the images of the button, and the requests by which Chromium finds Google's payment app
 * (https://developer.chrome.com/blog/payment-handler-csp-connect-src).
 */
export function googlePayPolicy({ nonce, ancestors, reportUrl }: GooglePayPolicy): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' ${googleOrigin}`,
    `style-src 'nonce-${nonce}'`,
    // Style attributes cannot have a nonce.
    "style-src-attr 'unsafe-inline'",
    `img-src data: ${googleOrigin} https://www.gstatic.com`,
    `connect-src ${googleOrigin} https://google.com/pay https://www.google.com/pay`,
    `frame-src ${googleOrigin}`,
    `form-action ${googleOrigin}`,
    "base-uri 'none'",
    `frame-ancestors ${ancestors.join(" ")}`,
    `report-uri ${reportUrl}`,
  ].join("; ");
}

/** The background is transparent, and the padding is the space for the button's focus ring. */
const style = `:root,body{height:100%}body{box-sizing:border-box;margin:0;padding:4px;background:none}#button{height:100%}`;

/**
 * Returns the HTML of the page that loads Google's script and shows Google Pay's button. The card form frames the page
 * from a second origin, so that Google's script can neither read the card form nor send requests on its behalf.
 */
export function googlePayDocument(options: GooglePayDocument): string {
  const { manifest, serviceOrigin, nonce } = options;
  return `<!doctype html>
<html lang="en" data-service-origin="${escapeHtml(serviceOrigin)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="robots" content="noindex">
<title>Google Pay</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
<script type="module" src="${googlePayScriptPath(manifest)}"></script>
</head>
<body>
<div id="button"></div>
</body>
</html>
`;
}
