import { currencies, currencyNumber } from "@florin/contract/currency.ts";
import { encodeBase64url } from "@florin/server/acquiring/three-d-secure/base64url.ts";
import {
  type CRes,
  type MethodData,
  protocolVersion,
} from "@florin/server/acquiring/three-d-secure/message.ts";
import { writeMessage } from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { escapeHtml } from "@florin/server/platform/http/escape-html.ts";
import { type Challenge, cresTransStatus, rightCode, type Verdict } from "./challenge.ts";
import { simulatorPaths } from "./simulator-deps.ts";

/** The time for which a page that continues automatically is visible. */
const autoSubmitDelayMs = 700;

/** Returns the challenge page with the payment, a field for the one-time code, and buttons to confirm and cancel. */
export function challengePage(challenge: Challenge): string {
  if (challenge.behavior !== "person_decides") return page("Test bank", automaticPage(challenge));
  const wrong =
    challenge.wrongCodes === 0
      ? ""
      : `<p class="wrong" role="alert">The code is incorrect. Please try again.</p>`;
  return page(
    "Confirm this payment",
    `<h1>Confirm this payment</h1>
<dl><dt>Merchant</dt><dd>${escapeHtml(challenge.merchantName)}</dd>
<dt>Amount</dt><dd>${escapeHtml(amountOf(challenge))}</dd>
<dt>Card</dt><dd>Ending in ${challenge.last4}</dd></dl>
<p>This is a test bank and sends no text message. Enter the code <strong>${rightCode}</strong>. Any other code is rejected.</p>
${wrong}<form method="post" action="${simulatorPaths.input}">
${hidden("acsTransID", challenge.acsTransactionId)}
<label for="code">Verification code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12">
<button class="main" name="action" value="submit">Confirm</button>
<button name="action" value="cancel" formnovalidate>Cancel</button>
</form>
<details><summary>Help</summary><p>We use this code to verify that you are making this payment. If you did not receive a code, cancel this payment and try again, or use another card.</p></details>`,
  );
}

const automaticBehavior: Readonly<Record<string, string>> = {
  passes: "This card passes the authentication automatically.",
  fails: "This card fails the authentication automatically.",
  page_times_out: "This card's authentication times out.",
  canceled_on_page: "This card's authentication is canceled on the issuer's page.",
  rreq_never_comes: "This card's issuer never sends the result.",
  forged_cres: "This card's page posts a forged success.",
};

function automaticPage({ behavior, acsTransactionId }: Challenge): string {
  return `<h1>Test bank</h1>
<p>${automaticBehavior[behavior] ?? ""}</p>
<form method="post" action="${simulatorPaths.input}" data-after="${autoSubmitDelayMs}">
${hidden("acsTransID", acsTransactionId)}
<button name="action" value="nothing">Continue</button>
</form>`;
}

/** Returns the page that posts the CRes through the cardholder's browser. */
export function responsePage(challenge: Challenge, verdict: Verdict): string {
  const cres: CRes = {
    messageType: "CRes",
    messageVersion: protocolVersion,
    threeDSServerTransID: challenge.threeDSServerTransactionId,
    acsTransID: challenge.acsTransactionId,
    transStatus: cresTransStatus(challenge, verdict),
  };
  return page(
    "Return to the store",
    `<form method="post" action="${escapeHtml(challenge.notificationUrl)}" data-after="0">
${hidden("cres", encodeBase64url(writeMessage(cres)))}
${challenge.sessionData === null ? "" : hidden("threeDSSessionData", challenge.sessionData)}
<button>Return to the store</button>
</form>`,
  );
}

/** Returns the hidden 3DS Method page. It collects no browser data, and only posts its completion. */
export function methodPage({ threeDSServerTransID }: MethodData, notificationUrl: string): string {
  return page(
    "Test bank",
    `<form method="post" action="${escapeHtml(notificationUrl)}" data-after="0">
${hidden("threeDSMethodData", encodeBase64url(JSON.stringify({ threeDSServerTransID })))}
<button>Continue</button>
</form>`,
  );
}

export function emptyPage(): string {
  return page("Test bank", "");
}

export function notFoundPage(): string {
  return page(
    "Test bank",
    "<h1>Payment not found</h1><p>We could not find this payment. Return to the store and try again.</p>",
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${simulatorPaths.style}">
<script src="${simulatorPaths.script}" defer></script>
</head>
<body><main><p class="bank">Test bank</p>${body}</main></body>
</html>
`;
}

/** Submits the forms of pages that continue automatically. Without JavaScript, the cardholder clicks the button. */
export const bankScript = `for (const form of document.querySelectorAll("form[data-after]")) {
  setTimeout(() => form.requestSubmit(form.querySelector("button")), Number(form.dataset.after));
}
`;

export const bankStyle = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; color: #1b2430; background: #fff; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.25rem; }
.bank { margin: 0 0 .5rem; color: #33506f; font-weight: 600; letter-spacing: .02em; }
h1 { margin: .25rem 0 .75rem; font-size: 1.25rem; line-height: 1.3; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: #55606e; } dd { margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
.wrong { color: #a11a1a; font-weight: 600; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input { width: 100%; min-height: 44px; padding: .5rem .75rem; border: 1px solid #6b7785; border-radius: 6px; font: inherit; letter-spacing: .15em; }
button { width: 100%; min-height: 44px; margin-top: .5rem; padding: .5rem 1rem; border: 1px solid #6b7785; border-radius: 6px; background: #fff; color: inherit; font: inherit; cursor: pointer; }
button.main { border-color: #1d4a7a; background: #1d4a7a; color: #fff; font-weight: 600; }
details { margin-top: 1rem; } summary { min-height: 24px; cursor: pointer; }
:focus-visible { outline: 3px solid #1d4a7a; outline-offset: 2px; }
`;

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

const letters = new Map(
  currencies.map((currency) => [currencyNumber(currency), currency.toUpperCase()]),
);

function amountOf({ amount, currency, exponent }: Challenge): string {
  const value = (Number(amount) / 10 ** exponent).toFixed(exponent);
  return `${letters.get(currency) ?? currency} ${value}`;
}
