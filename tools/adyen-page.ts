import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { avsResults, cvcResults } from "@florin/server/acquiring/adyen/checks.ts";
import { adyenDigits, unlistedCurrencies } from "@florin/server/acquiring/adyen/currencies.ts";
import {
  merchantAdvice,
  refusalReasons,
  visaNeverApproves,
} from "@florin/server/acquiring/adyen/decline-codes.ts";

export const adyenPagePath = fileURLToPath(new URL("../docs/reference/adyen.md", import.meta.url));

/** Returns docs/reference/adyen.md, generated from the connector's tables. */
export function adyenPage(): string {
  return `<!-- Printed by tools/adyen-page.ts from the tables of the connector. -->

# Adyen

This page shows how the connector for Adyen (Checkout API v72) translates codes and amounts. It is built from Adyen's documentation. It has
not yet run against Adyen, and no charge can be routed to it yet.

## Refusal reasons

An unknown reason is \`generic_decline\`. A payment with the result code \`Error\` is \`processing_error\`.

${table(
  ["`refusalReasonCode`", "`refusalReason`", "`decline_code`"],
  Object.entries(refusalReasons).map(([number, { name, code }]) => [number, name, `\`${code}\``]),
)}

## Another attempt

The decline code sets the retry class. Advice of the network replaces it. Visa's codes ${[
    ...visaNeverApproves,
  ].join(", ")}
forbid every further attempt with the card. Mastercard's advice has these effects:

${table(
  ["`merchantAdviceCode`", "Retry class", "Not before", "Replaces a decline without a reason with"],
  Object.entries(merchantAdvice)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([number, { retry, waitMs, code }]) => [
      number,
      retry,
      waitMs === null ? "" : `${waitMs / 3_600_000} hours`,
      code === null ? "" : `\`${code}\``,
    ]),
)}

## Checks of the address and the security code

A result outside these tables is \`unavailable\`.

${table(
  ["`avsResult`", "Address line 1", "Postal code"],
  Object.entries(avsResults).map(([number, checks]) => [
    number,
    checks.addressLine1Check ?? "null",
    checks.addressPostalCodeCheck ?? "null",
  ]),
)}

${table(
  ["`cvcResult`", "Security code"],
  Object.entries(cvcResults).map(([number, check]) => [number, check ?? "null"]),
)}

## Currencies

The amounts of these currencies have other decimals at Adyen than here. The connector converts them. It rejects an amount
that needs more decimals than Adyen has.

${table(
  ["Currency", "Decimals", "Decimals at Adyen"],
  Object.entries(adyenDigits).map(([currency, digits]) => [
    currency,
    String(minorUnitDigits(currency)),
    String(digits),
  ]),
)}

Adyen does not list ${[...unlistedCurrencies].join(", ")}. The connector rejects amounts in them.
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(adyenPagePath, adyenPage());
