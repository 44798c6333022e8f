import type { EmbedManifest } from "../frame/document.ts";

/**
 * The challenge document: our page around the bank's. It holds no card data and no inline script or style, and knows
 * nothing but its own address; what to do comes from the service, step by step.
 */
export function challengeDocument(manifest: EmbedManifest): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Confirm with your bank</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/embed/${manifest.challengeStyle}">
<script type="module" src="/embed/${manifest.challengeScript}"></script>
</head>
<body>
<main>
<header><h1>Confirm with your bank</h1><button id="leave" type="button">Cancel</button></header>
<div id="question" role="alertdialog" aria-labelledby="ask" hidden>
<p id="ask">Stop here? Nothing is charged, and you can pay again.</p>
<button id="stay" type="button">Go on with the check</button>
<button id="stop" type="button">Stop</button>
</div>
<p id="status" role="status"><span class="spinner" aria-hidden="true"></span><span id="words">Checking with your bank…</span></p>
<p id="info" hidden></p>
<div id="bank"></div>
</main>
<noscript><p class="noscript">To confirm this payment, please allow JavaScript on this page.</p></noscript>
</body>
</html>
`;
}
