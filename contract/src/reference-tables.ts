import { type CurrencyAmounts, currencies, defaultAmounts } from "./currency.ts";
import { type DeclineDescription, declineCodes } from "./declines.ts";
import { type ErrorDescription, type ErrorType, errorCodes } from "./errors.ts";
import { decimalText, minorUnitDigits } from "./minor-units.ts";
import { allPermissions, keyPermissions, permissions } from "./permissions.ts";
import { roleNames, roles } from "./roles.ts";

/** The tables of the reference as Markdown, made from the tables that the server uses. */

const notice = "<!-- Printed by contract/print-reference.ts from the tables in contract/src. -->";

const typeExplanations: Record<ErrorType, string> = {
  authentication_error: "The key is missing, malformed, revoked or of the wrong kind.",
  invalid_request_error: "The request is invalid or not possible in the object's current state.",
  card_error: "The card could not be charged. Always has `decline_code`.",
  rate_limit_error:
    "Too many requests. Wait for the number of seconds in `Retry-After`, then retry with exponential backoff.",
  idempotency_error: "The `Idempotency-Key` was used for a different request.",
  api_error:
    "An error of the service. It is safe to send the request again with the same `Idempotency-Key`.",
};

export function errorReference(): string {
  const sections = Object.entries(typeExplanations).map(([type, explanation]) => {
    const rows = Object.entries<ErrorDescription>(errorCodes)
      .filter(([, description]) => description.type === type)
      .map(([code, { status, meaning, whatToDo }]) =>
        row(`\`${code}\``, status, meaning, whatToDo),
      );
    return [
      `## ${type}`,
      "",
      explanation,
      "",
      row("code", "status", "meaning", "what to do"),
      row("---", "---", "---", "---"),
      ...rows,
      "",
    ].join("\n");
  });
  return `${notice}

# Error codes

Every error response has the same envelope:

\`\`\`json
{
  "error": {
    "type": "invalid_request_error",
    "code": "parameter_missing",
    "message": "\`currency\` is missing. Add it: ISO 4217 code in lower case, such as \`usd\`.",
    "param": "currency",
    "doc_url": "https://pay.example/docs#error-parameter_missing",
    "request_id": "req_01kq3v9m2qf5r8y4z6w1x0c7bd"
  }
}
\`\`\`

Branch on \`type\` and \`code\`, never on the text of \`message\`. \`param\` names the parameter. On a
declined charge the error also has \`decline_code\` ([decline codes](declines.md)), \`charge\`, \`advice_code\` and
\`network_decline_code\`.

${sections.join("\n")}`;
}

const retryExplanations: Record<DeclineDescription["retry"], string> = {
  never: "never this card for this kind of request",
  later: "this card again, later",
  fix: "immediately, after the customer corrects an input",
  auth: "again, with 3-D Secure",
  other: "another card, or this card after contact with the issuer",
  check: "look for an earlier charge first",
};

export function declineReference(): string {
  const rows = Object.entries<DeclineDescription>(declineCodes).map(([code, decline]) =>
    row(
      `\`${code}\``,
      decline.meaning,
      decline.nextStep,
      decline.retry,
      decline.adviceCode ? `\`${decline.adviceCode}\`` : "",
      decline.networkCodes.join(", "),
      `\`${decline.errorCode}\``,
      decline.customerMessage,
    ),
  );
  const classes = Object.entries(retryExplanations).map(
    ([name, what]) => `- **${name}**: ${what}.`,
  );
  return `${notice}

# Decline codes

A \`card_error\` always carries \`decline_code\`. The column _retry_ states when the card may be tried again:

${classes.join("\n")}

Reasons that would help a thief (lost, stolen, blocked, suspected of fraud) show the customer the message of
\`generic_decline\`. Only your server receives the code. The networks charge for retries that cannot succeed: Visa allows at
most 20 in 30 days and none after a "never", Mastercard 10 declines a day and 35 of one amount in 30 days.

${[
  row(
    "decline_code",
    "meaning",
    "next step",
    "retry",
    "advice_code",
    "network codes",
    "error.code",
    "message to the customer",
  ),
  row("---", "---", "---", "---", "---", "---", "---", "---"),
  ...rows,
].join("\n")}
`;
}

export function permissionReference(): string {
  const names = roleNames.map((role) => role.charAt(0).toUpperCase() + role.slice(1));
  const has = (holds: boolean) => (holds ? "yes" : "");
  const rows = allPermissions.map((permission) =>
    row(
      `\`${permission}\``,
      permissions[permission],
      has(keyPermissions.includes(permission)),
      ...roleNames.map((role) => has(roles[role].permissions.has(permission))),
    ),
  );
  const meanings = roleNames.map((role, place) => `- **${names[place]}**: ${roles[role].meaning}`);
  return `${notice}

# Permissions and roles

Every endpoint requires one permission. The reference at \`/docs\` names it. A secret key has all permissions in the column
_key_, a restricted key a selection of them, and a person those of their role:

${meanings.join("\n")}

${[
  row("permission", "allows", "key", ...names),
  row("---", "---", "---", ...names.map(() => "---")),
  ...rows,
].join("\n")}
`;
}

function row(...cells: (string | number)[]): string {
  return `| ${cells.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Returns currencies with their digits and default amounts, in units of the currency. */
export function currencyReference(): string {
  const rows = currencies.map((currency) => {
    const amounts = defaultAmounts[currency];
    const shown = (kind: keyof CurrencyAmounts) => decimalText(amounts[kind], currency);
    return row(
      `\`${currency}\``,
      minorUnitDigits(currency),
      shown("minCharge"),
      shown("maxCharge"),
      shown("minPayout"),
      shown("maxPayout"),
      shown("fixedFee"),
      shown("disputeFee"),
    );
  });
  return `${notice}

# Currencies

You can charge in these ${currencies.length} currencies: all of ISO 4217 that card networks support. An amount is an integer in the
currency's smallest unit. *Decimals* is the number of digits after the decimal point: \`1999\` is 19.99 in a
currency with two, 1.999 with three, and 1999 without.

The table shows the defaults, in the currency's main unit. The operator can change each of them for an account, up to 12 digits
of the smallest unit, the limit of card network messages (ISO 8583). The limits of charges also apply to checkout
sessions and decisions. A capture or a refund can be as small as one unit.

- **Payouts.** An automatic payout that is above the maximum payout is split into at most ten payouts a day. A balance below
  the minimum payout is paid out once it has grown.
- **Fees.** A payment costs a share of its amount and the fixed fee. A fee is never larger than its payment.
- **How the defaults are computed.** Half a dollar, one million dollars, ten million dollars, 30 cents and 15 dollars are converted at
  fixed rates in \`contract/src/currency.ts\` and rounded. The rates are approximate, have no published source and are not
  updated. They only set the magnitude of default limits and fees, and no payment is converted with them. The operator overrides a default
  in the [terms of an account](../operating/admin-console.md#accounts), by currency.

${row("currency", "decimals", "minimum charge", "maximum charge", "minimum payout", "maximum payout", "fixed fee", "dispute fee")}
${row("---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")}
${rows.join("\n")}
`;
}
