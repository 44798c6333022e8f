import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assignmentTransitions } from "@florin/server/acquiring/connections/assignment.ts";
import { connectionTransitions } from "@florin/server/acquiring/connections/connection.ts";
import { applicationTransitions } from "@florin/server/admin/underwriting/application.ts";
import type { Transitions } from "@florin/server/core/transitions.ts";
import { accountTransitions } from "@florin/server/identity/accounts/account-status.ts";
import { verificationTransitions } from "@florin/server/payments/card-verifications/card-verification.ts";
import { chargeTransitions } from "@florin/server/payments/charges/charge.ts";
import { disputeTransitions } from "@florin/server/payments/disputes/dispute.ts";
import { notificationTransitions } from "@florin/server/payments/notifications/acquirer-notification.ts";
import { operationTransitions } from "@florin/server/payments/operations/operation.ts";
import { payoutTransitions } from "@florin/server/payments/payouts/payout.ts";
import { sessionTransitions } from "@florin/server/payments/sessions/checkout-session.ts";
import { transitions } from "@florin/server/payments/three-d-secure/authentication.ts";
import { decisionTransitions, reviewTransitions } from "@florin/server/risk/decision.ts";
import { walletKeyTransitions } from "@florin/server/vault/wallets/configurations/wallet-key.ts";
import { deliveryTransitions } from "@florin/server/webhooks/delivery/delivery.ts";
import { endpointTransitions } from "@florin/server/webhooks/delivery/endpoint.ts";

/** An object with states, its transition table, and the location of its state in the database. */
export type StatefulObject = {
  readonly name: string;
  readonly transitions: Transitions<string>;
  readonly begins: readonly string[];
  /** The column whose CHECK constraint lists the object's states. Null if the states are never stored. */
  readonly storedIn: { readonly table: string; readonly column: string } | null;
  readonly words: string;
};

/** For each event of an authentication, the protocol message that causes the event. */
const authenticationEvents: Readonly<Record<string, string>> = {
  requested: "AReq sent",
  responded: "ARes received",
  ares_missing: "no ARes",
  challenge_given: "CReq posted",
  response_seen: "CRes received",
  result: "RReq received",
  handed_over: "result used",
};

export const statefulObjects: readonly StatefulObject[] = [
  {
    name: "Charge",
    transitions: chargeTransitions,
    begins: ["processing"],
    storedIn: { table: "charges", column: "status" },
    words:
      "While a charge is `processing`, `pending_reason` contains the reason why the charge is not final. If `reversal_pending` is true, the charge is being canceled and can no longer succeed. A charge with an unknown outcome becomes `failed` only after the acquirer has confirmed a decline or a reversal, or after an operator has marked it as failed.",
  },
  {
    name: "Checkout session",
    transitions: sessionTransitions,
    begins: ["open"],
    storedIn: { table: "checkout_sessions", column: "status" },
    words:
      "One SQL statement changes the status of a session together with the status of its charge or card verification.",
  },
  {
    name: "Card verification",
    transitions: verificationTransitions,
    begins: ["processing"],
    storedIn: { table: "card_verifications", column: "status" },
    words:
      "An attempt to verify a card in a checkout session of mode `setup`. An attempt whose outcome is lost fails, because it moved no money. The customer can try again.",
  },
  {
    name: "Capture, void, refund",
    transitions: operationTransitions,
    begins: ["processing"],
    storedIn: { table: "operations", column: "status" },
    words:
      "Captures, voids and refunds share one implementation. For a refund in `processing`, the API shows the status `pending`.",
  },
  {
    name: "Dispute",
    transitions: disputeTransitions,
    begins: ["needs_response"],
    storedIn: { table: "disputes", column: "status" },
    words:
      "An inquiry is a dispute with `is_inquiry: true`. An inquiry moves no money. An inquiry becomes `won` when its charge is fully refunded.",
  },
  {
    name: "Payout",
    transitions: payoutTransitions,
    begins: ["pending"],
    storedIn: { table: "payouts", column: "status" },
    words:
      "This diagram shows payouts of test mode. Florin sends the payout's ID to the bank as the idempotency key, so the bank executes each payout only once. In live mode, the acquirer pays the merchant, and Florin records each payout as `paid`.",
  },
  {
    name: "Authentication (3-D Secure)",
    transitions: authenticationTransitions(),
    begins: ["looked_up", "ended"],
    storedIn: { table: "authentications", column: "state" },
    words:
      "If the card's issuer does not support 3-D Secure, the authentication starts as `ended`. The CRes, which the customer's browser delivers, never determines the result.",
  },
  {
    name: "Decision",
    transitions: decisionTransitions,
    begins: ["active"],
    storedIn: null,
    words:
      "The status of a decision is not stored. Florin derives the status from the decision's charge, the time and later decisions.",
  },
  {
    name: "Review of a decision",
    transitions: reviewTransitions,
    begins: ["open"],
    storedIn: { table: "decisions", column: "review" },
    words: "Only decisions with the outcome `review` have a review.",
  },
  {
    name: "Webhook delivery",
    transitions: deliveryTransitions,
    begins: ["pending"],
    storedIn: { table: "webhook_deliveries", column: "status" },
    words:
      "A delivery stays `pending` until an attempt succeeds, the endpoint returns 410, the endpoint is disabled or deleted, or no attempts remain. A delivery has up to ten attempts.",
  },
  {
    name: "Webhook endpoint",
    transitions: endpointTransitions,
    begins: ["enabled", "disabled"],
    storedIn: { table: "webhook_endpoints", column: "status" },
    words: "You can resend events that occurred while an endpoint was disabled.",
  },
  {
    name: "Account",
    transitions: transitionsByState(accountTransitions),
    begins: ["test_only"],
    storedIn: { table: "accounts", column: "status" },
    words:
      "Only operators change the status of an account. A `suspended` account can still make refunds and use test mode. A `closed` account cannot be reopened.",
  },
  {
    name: "Application for live mode",
    transitions: transitionsByState(applicationTransitions),
    begins: ["draft"],
    storedIn: { table: "applications", column: "status" },
    words:
      "The merchant submits and resubmits the application. The operator makes all other transitions.",
  },
  {
    name: "Acquirer connection",
    transitions: connectionTransitions,
    begins: ["draft"],
    storedIn: { table: "processor_connections", column: "state" },
    words:
      "New charges are sent only through an `active` connection. Captures, refunds and status inquiries of earlier charges are still sent through a `suspended` or `draining` connection. A `retired` connection has no secrets.",
  },
  {
    name: "Assignment of an account to a connection",
    transitions: assignmentTransitions,
    begins: ["active"],
    storedIn: { table: "processor_assignments", column: "state" },
    words:
      "An account can have several assignments. Charges of an `ended` assignment can still be refunded.",
  },
  {
    name: "Wallet key",
    transitions: walletKeyTransitions,
    begins: ["pending"],
    storedIn: { table: "wallet_keys", column: "status" },
    words:
      "New payments use only the `current` key. A `previous` key decrypts tokens for another 30 days, and a job then deletes it. An operator can remove a key in any state.",
  },
  {
    name: "Notification of a live acquirer",
    transitions: notificationTransitions,
    begins: ["pending", "ignored"],
    storedIn: { table: "acquirer_notifications", column: "state" },
    words:
      "A notification that repeats the recorded outcome can be stored as `ignored` immediately. An operator must decide about each notification in the state `unmatched` or `review`. If the cause of the problem remains, a notification that is applied again returns to the state that it had before.",
  },
];

/**
 * Returns the transitions of an authentication by state. The protocol's table lists the transitions of each state by
 * event, and several events may lead to the same state.
 */
function authenticationTransitions(): Transitions<string> {
  return Object.fromEntries(
    Object.entries(transitions).map(([from, events]) => {
      const ways: Record<string, string> = {};
      for (const [event, targets] of Object.entries(events)) {
        for (const to of targets) {
          const words = authenticationEvents[event] ?? event.replaceAll("_", " ");
          ways[to] = ways[to] ? `${ways[to]}, ${words}` : words;
        }
      }
      return [from, ways];
    }),
  );
}

/**
 * Converts a table of operations, each with its source states and its target state, into a table of transitions by
 * source state.
 */
function transitionsByState(
  transitions: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>,
): Transitions<string> {
  const table: Record<string, Record<string, string>> = {};
  for (const [name, { from, to }] of Object.entries(transitions)) {
    table[to] ??= {};
    for (const one of from) {
      table[one] = { ...table[one], [to]: name.replaceAll("_", " ") };
    }
  }
  return table;
}

export const statesPagePath = fileURLToPath(new URL("../docs/states.md", import.meta.url));

export function statesPage(): string {
  return `<!-- Generated by tools/states-page.ts from the transition tables in the code. -->

# States

This page lists every object that has states, with all of its transitions. The diagrams are generated from the
transition tables in the code. The code rejects every transition that is not in a diagram. In tests, a database trigger
rejects such transitions too. A \`CHECK\` constraint lists the allowed values of each state column. Every transition is a
compare-and-set or runs under a row lock, so two concurrent transitions cannot start from the same state.

${statefulObjects.map(section).join("\n\n")}
`;
}

function section({ name, transitions, begins, words }: StatefulObject): string {
  const lines = [
    ...begins.map((state) => `  [*] --> ${state}`),
    ...Object.entries(transitions).flatMap(([from, ways]) =>
      Object.entries(ways).map(([to, why]) => `  ${from} --> ${to}: ${why}`),
    ),
    ...Object.entries(transitions)
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
