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
import {
  authorizeRequest,
  cancelRequest,
  captureRequest,
  detailsRequest,
  type PreparedRequest,
  refundRequest,
  reverseRequest,
  technicalCancelRequest,
  verifyRequest,
} from "@florin/server/acquiring/adyen/requests.ts";
import { cardErrorCodes, resultCodes } from "@florin/server/acquiring/adyen/responses.ts";
import { batchTypes, transactionTypes } from "@florin/server/acquiring/adyen/settlement-report.ts";
import { disputeEvents, paymentEvents } from "@florin/server/acquiring/adyen/webhooks.ts";
import { CardPlaceholder } from "@florin/server/acquiring/card-placeholder.ts";

export const adyenPagePath = fileURLToPath(new URL("../docs/reference/adyen.md", import.meta.url));

/** Returns docs/reference/adyen.md, generated from the connector's tables. */
export function adyenPage(): string {
  return `<!-- Printed by tools/adyen-page.ts from the tables of the connector. -->

# Adyen

This page shows how the connector for Adyen (Checkout API v72) translates requests, codes and amounts. It is built from
Adyen's documentation. It has not yet run against Adyen, and no charge can be routed to it yet.

## Requests

${table(
  ["Florin's operation", "Path"],
  Object.entries(sampleRequests()).map(([name, request]) => [
    name,
    `\`${prepared(request).path}\``,
  ]),
)}

The body of a sale. Card data replaces the placeholders just before the body is sent:

\`\`\`json
${sampleSale()}
\`\`\`

## Responses

An unknown outcome is resolved by a notification or reversed. It is never treated as a decline.

${table(
  ["`resultCode`", "Outcome"],
  Object.entries(resultCodes).map(([name, kind]) => [name, kind.replace("_", " ")]),
)}

| HTTP status | Outcome |
| --- | --- |
| 400 or 422, in Adyen's error form | rejected. With the error code ${[...cardErrorCodes].join(" or ")}, the card data is invalid |
| 401 or 403, in Adyen's error form | rejected: the credentials are invalid |
| 429, in Adyen's error form | sent again with the same key, then rejected |
| Error code 703 or 704, or the header \`transient-error: true\` | sent again with the same key, then unknown |
| any other | unknown |

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

## Notifications

Subscribe to these event codes. Florin stores every other event and ignores it. An event is applied only if its environment,
merchant account, currency and amount are those that Florin sent. The amount is not compared for cancellations and disputes.

${table(
  ["`eventCode`", "Meaning"],
  Object.entries(paymentEvents).map(([name, kind]) => [name, kind.replaceAll("_", " ")]),
)}

${table(
  ["`eventCode` of a dispute", "Stage", "State"],
  Object.entries(disputeEvents).map(([name, { stage, state }]) => [
    name,
    stage.replace("_", "-"),
    state,
  ]),
)}

## Settlement details report

${table(
  ["`Type`", "Type in the [settlement file](settlement-file.md)"],
  Object.entries(transactionTypes).map(([name, type]) => [name, `\`${type}\``]),
)}

The types ${batchTypes.join(", ")} belong to the batch and to no
payment. In every line of a payment, gross minus net must equal the sum of the fees.

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

const charge = "ch_01jb0000000000000000000001";
const connection = {
  id: "connection",
  merchantAccount: "YourMerchantAccount",
  idempotencySecret: new Uint8Array(32),
};

function sampleRequests(): Record<string, PreparedRequest> {
  const price = { amountMinor: 1999, currency: "eur" } as const;
  const sale = {
    reference: charge,
    price,
    capture: true,
    hasSecurityCode: true,
    use: { kind: "once" },
    authentication: { kind: "none", exemption: null },
    payer: { name: null, email: null, phone: null, ip: null, address: null, browser: null },
    returnUrl: "https://pay.example.com/return",
    descriptor: null,
    mcc: null,
  } as const;
  const target = {
    reference: "op_01jb0000000000000000000002",
    paymentReference: "993617895204576J",
  } as const;
  return {
    "sale or hold": authorizeRequest(connection, sale),
    verification: verifyRequest(connection, { ...sale, currency: price.currency }),
    "after a redirect": detailsRequest(connection, {
      charge,
      redirectResult: "X6XtfGC3!Y",
      resume: null,
    }),
    capture: captureRequest(connection, { ...target, price }),
    cancellation: cancelRequest(connection, target),
    refund: refundRequest(connection, { ...target, price }),
    reversal: reverseRequest(connection, target),
    "cancellation by the reference of the charge": technicalCancelRequest(connection, {
      charge,
      attempt: 1,
    }),
  };
}

function prepared(request: PreparedRequest) {
  if (request.kind === "rejected") throw new Error("The sample request was rejected.");
  return request.request;
}

function sampleSale(): string {
  const { body } = prepared(sampleRequests()["sale or hold"] as PreparedRequest);
  const { paymentMethod, ...others } = body;
  const card = Object.entries(paymentMethod as object).map(([name, value]) => [
    name,
    value instanceof CardPlaceholder ? `<${name}>` : value,
  ]);
  return JSON.stringify({ ...others, paymentMethod: Object.fromEntries(card) }, null, 2);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(adyenPagePath, adyenPage());
