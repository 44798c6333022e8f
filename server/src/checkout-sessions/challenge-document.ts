import type { Charge } from "../charges/charge.ts";
import { currencyDigits } from "../primitives/money.ts";

/** The page of the simulated bank: it asks the person in front of it how the authentication ends. */
export function challengeDocument(charge: Charge, path: string): string {
  const body = charge.status === "requires_action" ? question(charge, path) : done(charge);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Test bank</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/challenge/challenge.css">
</head>
<body>
<main>
<p class="bank">Test bank</p>
${body}
</main>
</body>
</html>
`;
}

function question(charge: Charge, path: string): string {
  const button = (result: string, label: string, kind: string) =>
    `<form method="post" action="${path}/${result}"><button class="${kind}">${label}</button></form>`;
  return `<h1>Confirm this payment</h1>
<p>${amountOf(charge)} with the card ending in ${charge.card.last4}. This is a test: you decide how the check ends.</p>
<div class="buttons">
${button("authenticated", "Confirm", "main")}
${button("failed", "Fail the check", "other")}
${button("canceled", "Cancel", "other")}
</div>`;
}

function done(charge: Charge): string {
  const words =
    charge.threeDSecure?.result === "authenticated"
      ? "Thank you. Your bank has confirmed that it was you."
      : "The check has ended without a confirmation.";
  return `<h1>Finished</h1>
<p>${words} You can go back to the shop.</p>`;
}

function amountOf({ price }: Charge): string {
  const { currency, amountMinor } = price;
  const digits = currencyDigits(currency);
  // Intl rounds some currencies to whole units, as people do with cash; a payment is shown to its last unit.
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat("en", { style: "currency", currency, ...exact });
  return format.format(amountMinor / 10 ** digits);
}

/**
 * Without a ground of its own inside the card form, which stands on the shop's page without one too: three grounds would be
 * three shades of dark. Greys and no brand, so that it quarrels with nobody's colours.
 */
export const challengeStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c1d1e, #f0f0ef); --quiet: light-dark(#5c5e60, #b0b1b0); --line: light-dark(rgb(0 0 0 / 28%), rgb(255 255 255 / 30%)); --main: light-dark(#26282a, #f0f0ef); --on-main: light-dark(#fff, #1c1d1e); }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.25rem; }
.bank { margin: 0; color: var(--quiet); font-weight: 600; letter-spacing: .02em; }
h1 { margin: .5rem 0; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 1rem; color: var(--quiet); }
main > :last-child { margin-bottom: 0; }
.buttons { display: grid; gap: .5rem; }
button { width: 100%; min-height: 44px; padding: .5rem 1rem; border-radius: 8px; border: 1px solid var(--line); background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { border-color: var(--main); background: var(--main); color: var(--on-main); font-weight: 600; }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
`;
