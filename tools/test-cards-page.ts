import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectedResult } from "@florin/contract/test-card-three-d-secure.ts";
import { type TestCard, type TestCardGroup, testCards } from "@florin/contract/test-cards.ts";
import { testMethods } from "@florin/server/cards/payment-methods/test-methods.ts";
import { amountTriggers } from "@florin/simulator/amount-triggers.ts";

/** docs/reference/test-cards.md, generated from the tables that the simulator uses. */
export const testCardsPagePath = join(import.meta.dirname, "../docs/reference/test-cards.md");

export function testCardsPage(): string {
  return `# Test cards and amount triggers

<!-- Printed by tools/test-cards-page.ts from the simulator's tables. Run it with Node after changing one. -->

Use these cards with a test key, any future expiry date and any CVC of three digits (four for American Express).

- Test mode declines every other number, and live mode declines every number on this page, with
  \`decline_code: "testmode_decline"\`.
- If a row has a payment method, you can send its name as \`payment_method_id\` to \`POST /api/v1/charges\`, without the
  card form.

## Success, by brand

${outcomeTable("success")}

## Declines

${outcomeTable("decline")}

## Checks of CVC and address

${outcomeTable("checks")}

## Risk

${outcomeTable("risk")}

## 3-D Secure

${threeDSecureTable("three_d_secure")}

### The family \`4000 003M AC00 000x\`

The digits of the number select the behavior of the simulated issuer:

| Digit | Meaning | Values |
| --- | --- | --- |
| M | Method page | 0 none, 1 responds, 2 times out |
| A | Response to the AReq | 0 authenticated, 1 not authenticated, 2 attempted, 3 rejected, 4 informational, 5 unavailable, 6 the directory server times out, 7 challenge |
| C | Challenge | 0 you decide, 1 passes, 2 fails, 3 the issuer's page times out, 4 canceled on the issuer's page, 5 the result is never sent, 6 forged success in the browser, 7 the challenge request never arrives |
| x | Check digit | |

${threeDSecureTable("three_d_secure_family")}

## Refunds

${outcomeTable("refund")}

## Disputes

Evidence that contains \`winning_evidence\` or \`losing_evidence\` closes a test dispute.

${outcomeTable("dispute")}

## Amount triggers

With a card from the first table, the last four digits of an amount from 9000000 to 9009999 select the outcome. For example,
9002051 is declined with \`insufficient_funds\`.

${table(
  ["Last four digits", "Outcome"],
  amountTriggers.map(({ digits, description }) => [digits, description]),
)}
`;
}

function outcomeTable(group: TestCardGroup): string {
  return table(
    ["Number", "Card", "Payment method", "Outcome"],
    cardsOf(group).map((card) => [
      `\`${card.number}\``,
      card.description,
      namesOf(card),
      outcomeOf(card),
    ]),
  );
}

function outcomeOf({ declineCode, risk }: TestCard): string {
  if (declineCode) return `declined, \`${declineCode}\``;
  // Declined by the default risk policy, not by the issuer.
  return risk === "highest" ? "declined, `fraudulent`" : "approved";
}

function threeDSecureTable(group: TestCardGroup): string {
  return table(
    ["Number", "Card", "Payment method", "3-D Secure result", "Outcome"],
    cardsOf(group).map((card) => [
      `\`${card.number}\``,
      card.description,
      namesOf(card),
      card.threeDSecure ? `\`${expectedResult(card.threeDSecure)}\`` : "",
      card.declineCode ? `declined, \`${card.declineCode}\`` : afterThreeDSecure(card),
    ]),
  );
}

function afterThreeDSecure(card: TestCard): string {
  const result = card.threeDSecure && expectedResult(card.threeDSecure);
  switch (result) {
    case "authenticated":
    case "attempted":
      return "approved, with liability shift";
    case "informational":
    case "unavailable":
      return "approved if your rules allow it, without liability shift";
    case "person_decides":
      return "approved if you pass the challenge";
    default:
      return "nothing is sent to the acquirer";
  }
}

function cardsOf(group: TestCardGroup): readonly TestCard[] {
  return testCards.filter((card) => card.group === group);
}

function namesOf(card: TestCard): string {
  const method = testMethods.find((one) => one.card === card);
  return method ? `\`${method.name}\`` : "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(testCardsPagePath, testCardsPage());
