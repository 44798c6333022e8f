import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { escapeHtml } from "./escape-html.ts";

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{display:grid;min-height:90vh;margin:0;padding:1rem;place-content:center;text-align:center;background:light-dark(#f8f9f5,#0f1110);color:light-dark(#1a1c1a,#e8eae6)}
h1{margin:0 0 .5rem;font-size:1.5rem}p{margin:0 auto;max-width:32rem}small{display:block;margin-top:1.5rem;opacity:.75}
a{color:inherit}`;

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Returns whether a request is from a browser that opens a page. Clients of the API do not accept HTML explicitly. */
export function opensPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== "GET" || url.startsWith("/api/")) return false;
  return /\btext\/html\b/.test(headers.accept ?? "");
}

/** Sends an error as a page for people. */
export function sendErrorPage(
  reply: FastifyReply,
  status: number,
  requestId: string,
): FastifyReply {
  const [title, text] = wordsFor(status, reply);
  return reply
    .code(status)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      vary: "Accept",
    })
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<small>Request ID: ${escapeHtml(requestId)}</small>
</main>
</body>
</html>
`);
}

function wordsFor(
  status: number,
  { server, request }: FastifyReply,
): readonly [title: string, text: string] {
  if (status === 429) return ["Too many requests", "Wait a moment, then reload this page."];
  if (status >= 500) return ["Something went wrong", "Reload this page to try again."];
  if (status === 401 || status === 403) {
    return [
      "Access denied",
      "You are not signed in, or you do not have access to this page. Sign in to the dashboard, and open this page again.",
    ];
  }
  if (status !== 404) {
    return [
      "This page cannot be opened",
      "The request is not valid. Check the address, or go back and try again.",
    ];
  }
  const text = [...server.notFoundTexts].find(([prefix]) => request.url.startsWith(prefix))?.[1];
  return ["Page not found", text ?? notFoundText('<a href="/dashboard">dashboard</a>')];
}

/** Returns the text that is shown for an unknown URL. `link` leads to a page from which people can continue. */
export function notFoundText(link: string): string {
  return `This page does not exist or has moved. Check the address, or go to the ${link}.`;
}
