import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

type AuthenticationPage = {
  /** The name of the acquirer that the fake stands for. */
  readonly acquirer: string;
  readonly last4: string | undefined;
  /** The amount in major units with its currency: `19.99 EUR`. Null if the card is only saved. */
  readonly amount: string | null;
};

const style = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #e8edf3); --quiet: light-dark(#55606e, #a9b4c0); --ground: light-dark(#fff, #14181d);
  --bank: light-dark(#33506f, #9fc3ea); --line: light-dark(#6b7785, #7d8a98);
  --main: light-dark(#1d4a7a, #9fc3ea); --on-main: light-dark(#fff, #0c1a2a);
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.25rem; }
h1 { margin: .25rem 0 .75rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
.bank { margin: 0 0 .5rem; color: var(--bank); font-weight: 600; letter-spacing: .02em; }
.quiet { margin: 1rem 0 0; color: var(--quiet); font-size: .875rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
button { width: 100%; min-height: 44px; margin-top: .5rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { border-color: var(--main); background: var(--main); color: var(--on-main); font-weight: 600; }
:focus-visible { outline: 3px solid var(--bank); outline-offset: 2px; }
`;

/** Allows only the page's own style. The form's target is not limited, because its response redirects to the shop. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'`;

/** Sends the page on which the cardholder authenticates or fails to. Its form posts `outcome` to the page's URL. */
export function sendAuthenticationPage(response: ServerResponse, page: AuthenticationPage): void {
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
    })
    .end(authenticationPage(page));
}

function authenticationPage({ acquirer, last4, amount }: AuthenticationPage): string {
  const rows = [
    ...(amount === null ? [] : [["Amount", amount]]),
    ["Card", last4 === undefined ? "Unknown" : `Ending in ${last4}`],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Confirm your payment</title>
<style>${style}</style>
</head>
<body><main>
<p class="bank">Test bank</p>
<h1>${amount === null ? "Confirm your card" : "Confirm your payment"}</h1>
<dl>${rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`).join("")}</dl>
<form method="post">
<button class="main" name="outcome" value="authenticate">Authenticate</button>
<button name="outcome" value="fail">Fail authentication</button>
</form>
<p class="quiet">This page belongs to the fake of ${acquirer}. No money moves.</p>
</main></body>
</html>
`;
}
