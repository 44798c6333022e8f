import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { applicationMoves } from "@florin/server/admin/underwriting/application.ts";
import type { Moves } from "@florin/server/core/moves.ts";
import { accountMoves } from "@florin/server/identity/accounts/account-status.ts";
import { chargeMoves } from "@florin/server/payments/charges/charge.ts";
import { operationMoves } from "@florin/server/payments/charges/operation.ts";
import { sessionMoves } from "@florin/server/payments/checkout/checkout-session.ts";
import { disputeMoves } from "@florin/server/payments/disputes/dispute.ts";
import { payoutMoves } from "@florin/server/payments/payouts/payout.ts";
import { transitions } from "@florin/server/payments/three-d-secure/authentication.ts";
import { decisionMoves, reviewMoves } from "@florin/server/risk/decision.ts";
import { deliveryMoves } from "@florin/server/webhooks/delivery/delivery.ts";
import { endpointMoves } from "@florin/server/webhooks/delivery/endpoint.ts";

/** An object with states: its transition table and its place in the database. */
export type StatefulNoun = {
  readonly name: string;
  readonly moves: Moves<string>;
  readonly begins: readonly string[];
  /** The column whose CHECK lists the same states. Null for states that are never stored. */
  readonly kept: { readonly table: string; readonly column: string } | null;
  readonly words: string;
};

export const statefulNouns: readonly StatefulNoun[] = [
  {
    name: "Charge",
    moves: chargeMoves,
    begins: ["processing"],
    kept: { table: "charges", column: "status" },
    words:
      "While it is `processing`, `pending_reason` says why. It never leaves an unknown outcome for `failed` without a positive word of the acquirer.",
  },
  {
    name: "Checkout session",
    moves: sessionMoves,
    begins: ["open"],
    kept: { table: "checkout_sessions", column: "status" },
    words: "It moves with its charge, in the same statement. Nothing leads to `canceled` yet.",
  },
  {
    name: "Capture, release, refund",
    moves: operationMoves,
    begins: ["processing"],
    kept: { table: "operations", column: "status" },
    words: "One mechanism for all three. As a refund, `processing` reads `pending`.",
  },
  {
    name: "Dispute",
    moves: disputeMoves,
    begins: ["needs_response"],
    kept: { table: "disputes", column: "status" },
    words:
      "An inquiry is one with `is_inquiry`, and has taken no money. It closes as `won` when its charge has been refunded in full.",
  },
  {
    name: "Payout",
    moves: payoutMoves,
    begins: ["pending"],
    kept: { table: "payouts", column: "status" },
    words: "The bank is asked under the payout's own id, so it pays once.",
  },
  {
    name: "Authentication (3-D Secure)",
    moves: movesOfAuthentication(),
    begins: ["looked_up", "ended"],
    kept: { table: "authentications", column: "state" },
    words: "A card that no bank answers for ends at once. Only the bank's own messages decide.",
  },
  {
    name: "Decision",
    moves: decisionMoves,
    begins: ["active"],
    kept: null,
    words: "It follows from its charge, the clock and later decisions, and is never written.",
  },
  {
    name: "Review of a decision",
    moves: reviewMoves,
    begins: ["open"],
    kept: { table: "decisions", column: "review" },
    words: "Only decisions to `review` have one.",
  },
  {
    name: "Webhook delivery",
    moves: deliveryMoves,
    begins: ["pending"],
    kept: { table: "webhook_deliveries", column: "status" },
    words: "It stays `pending` through the ten attempts of its schedule.",
  },
  {
    name: "Webhook endpoint",
    moves: endpointMoves,
    begins: ["enabled", "disabled"],
    kept: { table: "webhook_endpoints", column: "status" },
    words: "What happened while it was disabled can be resent.",
  },
  {
    name: "Account",
    moves: movesByName(accountMoves),
    begins: ["test_only"],
    kept: { table: "accounts", column: "status" },
    words:
      "Each move is an operator's. Refunds and test mode go on while it is `suspended`; what is `closed` stays closed.",
  },
  {
    name: "Application for live mode",
    moves: movesByName(applicationMoves),
    begins: ["draft"],
    kept: { table: "applications", column: "status" },
    words: "The merchant hands in and answers; the operator decides.",
  },
];

/** The transitions of the protocol's table, which is indexed by events. Several events may have the same target. */
function movesOfAuthentication(): Moves<string> {
  return Object.fromEntries(
    Object.entries(transitions).map(([from, events]) => {
      const ways: Record<string, string> = {};
      for (const [event, targets] of Object.entries(events)) {
        for (const to of targets) {
          const words = event.replaceAll("_", " ");
          ways[to] = ways[to] ? `${ways[to]}, ${words}` : words;
        }
      }
      return [from, ways];
    }),
  );
}

/** Converts tables of operations with their targets into tables of states. */
function movesByName(
  moves: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>,
): Moves<string> {
  const table: Record<string, Record<string, string>> = {};
  for (const [name, { from, to }] of Object.entries(moves)) {
    table[to] ??= {};
    for (const one of from) {
      table[one] = { ...table[one], [to]: name.replaceAll("_", " ") };
    }
  }
  return table;
}

export const statesPagePath = fileURLToPath(new URL("../docs/states.md", import.meta.url));

export function statesPage(): string {
  return `<!-- Printed by tools/states-page.ts from the tables that the code goes by. -->

# States

Every noun that has states, with every way from one to another. The pictures are printed from the tables in the code. A move
that is not in its table is refused where it is decided, and in every test by a guard in the database; each state stands in a
\`CHECK\` as well. Every move is one compare-and-set: of two that come at once, one is made.

${statefulNouns.map(section).join("\n\n")}
`;
}

function section({ name, moves, begins, words }: StatefulNoun): string {
  const lines = [
    ...begins.map((state) => `  [*] --> ${state}`),
    ...Object.entries(moves).flatMap(([from, ways]) =>
      Object.entries(ways).map(([to, why]) => `  ${from} --> ${to}: ${why}`),
    ),
    ...Object.entries(moves)
      .filter(([, ways]) => Object.keys(ways).length === 0)
      .map(([state]) => `  ${state} --> [*]`),
  ];
  return `## ${name}

\`\`\`mermaid
stateDiagram-v2
${lines.join("\n")}
\`\`\`

${words}`;
}

if (import.meta.main) writeFileSync(statesPagePath, statesPage());
