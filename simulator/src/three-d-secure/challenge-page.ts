import { currencies, currencyNumber } from "@florin/contract/currency.ts";
import { encodeBase64url } from "@florin/server/acquiring/three-d-secure/base64url.ts";
import {
  type CRes,
  type MethodData,
  protocolVersion,
} from "@florin/server/acquiring/three-d-secure/message.ts";
import { writeMessage } from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { escapeHtml } from "@florin/server/platform/http/escape-html.ts";
import { type BankLanguage, type BankWords, bankWords, directionOf } from "./bank-words.ts";
import { type Challenge, cresTransStatus, rightCode, type Verdict } from "./challenge.ts";
import { simulatorPaths } from "./simulator-deps.ts";

/** The time for which a page that continues automatically is visible. */
const autoSubmitDelayMs = 700;

/** Returns the challenge page with the payment or the card, a field for the one-time code, and two buttons. */
export function challengePage(challenge: Challenge, language: BankLanguage): string {
  const words = bankWords(language);
  if (challenge.behavior !== "person_decides") {
    return page(words.bank, automaticPage(challenge, words), language);
  }
  const [before, after] = words.code;
  const wrong =
    challenge.wrongCodes === 0 ? "" : `<p class="wrong" role="alert">${words.wrongCode}</p>`;
  // The amount and the code are isolated, because their order would change in a right-to-left text. A card that is only
  // saved has no amount.
  const isOnlySaved = challenge.amount === "0";
  const title = isOnlySaved ? words.cardTitle : words.title;
  const amount = isOnlySaved
    ? ""
    : `<dt>${words.amount}</dt><dd><bdi dir="ltr">${escapeHtml(amountOf(challenge))}</bdi></dd>\n`;
  return page(
    title,
    `<h1>${title}</h1>
<dl><dt>${words.merchant}</dt><dd><bdi>${escapeHtml(challenge.merchantName)}</bdi></dd>
${amount}<dt>${words.card}</dt><dd>${words.ending(challenge.last4)}</dd></dl>
<p>${before}<bdi><strong>${rightCode}</strong></bdi>${after}</p>
${wrong}<form method="post" action="${simulatorPaths.input}">
${hidden("acsTransID", challenge.acsTransactionId)}
<label for="code">${words.codeLabel}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" dir="ltr">
<button class="main" name="action" value="submit">${words.confirm}</button>
<button name="action" value="cancel" formnovalidate>${words.cancel}</button>
</form>
<details><summary>${words.help}</summary><p>${words.helpText}</p></details>`,
    language,
  );
}

function automaticPage({ acsTransactionId }: Challenge, words: BankWords): string {
  return `<h1>${words.bank}</h1>
<p>${words.automatic}</p>
<form method="post" action="${simulatorPaths.input}" data-after="${autoSubmitDelayMs}">
${hidden("acsTransID", acsTransactionId)}
<button name="action" value="nothing">${words.next}</button>
</form>`;
}

/** Returns the page that posts the CRes through the cardholder's browser. */
export function responsePage(
  challenge: Challenge,
  verdict: Verdict,
  language: BankLanguage,
): string {
  const { toStore } = bankWords(language);
  const cres: CRes = {
    messageType: "CRes",
    messageVersion: protocolVersion,
    threeDSServerTransID: challenge.threeDSServerTransactionId,
    acsTransID: challenge.acsTransactionId,
    transStatus: cresTransStatus(challenge, verdict),
  };
  return page(
    toStore,
    `<form method="post" action="${escapeHtml(challenge.notificationUrl)}" data-after="0">
${hidden("cres", encodeBase64url(writeMessage(cres)))}
${challenge.sessionData === null ? "" : hidden("threeDSSessionData", challenge.sessionData)}
<button>${toStore}</button>
</form>`,
    language,
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

function page(title: string, body: string, language: BankLanguage = "en"): string {
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${simulatorPaths.style}">
<script src="${simulatorPaths.script}" defer></script>
</head>
<body><main><p class="bank">${bankWords(language).bank}</p>${body}</main></body>
</html>
`;
}

/** Submits the forms of pages that continue automatically. Without JavaScript, the cardholder clicks the button. */
export const bankScript = `for (const form of document.querySelectorAll("form[data-after]")) {
  setTimeout(() => form.requestSubmit(form.querySelector("button")), Number(form.dataset.after));
}
`;

export const bankStyle = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #e8edf3); --quiet: light-dark(#55606e, #a9b4c0); --ground: light-dark(#fff, #14181d);
  --bank: light-dark(#33506f, #9fc3ea); --line: light-dark(#6b7785, #7d8a98); --wrong: light-dark(#a11a1a, #ff9d92);
  --main: light-dark(#1d4a7a, #9fc3ea); --on-main: light-dark(#fff, #0c1a2a);
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.25rem; }
.bank { margin: 0 0 .5rem; color: var(--bank); font-weight: 600; letter-spacing: .02em; }
h1 { margin: .25rem 0 .75rem; font-size: 1.25rem; line-height: 1.3; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
.wrong { color: var(--wrong); font-weight: 600; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input { width: 100%; min-height: 44px; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; font: inherit; letter-spacing: .15em; }
button { width: 100%; min-height: 44px; margin-top: .5rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { margin-top: 1rem; border-color: var(--main); background: var(--main); color: var(--on-main); font-weight: 600; }
details { margin-top: 1rem; } summary { min-height: 24px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
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
