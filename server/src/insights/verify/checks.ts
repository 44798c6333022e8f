import { findBrokenAcknowledgements } from "./acknowledged-charges.sql.ts";
import {
  findOrphanApprovals,
  findPaymentsWithoutApproval,
  findReferencesUsedTwice,
} from "./acquirer.sql.ts";
import { findBrokenAuditChains } from "./audit.sql.ts";
import { findPaymentsAgainstAuthentication } from "./authentications.sql.ts";
import { findCardsOutsideTheVault } from "./cards.sql.ts";
import type { Check } from "./check.ts";
import {
  findDeliveriesOfNothing,
  findDeliveriesWithoutReason,
  findEventsNotQueued,
} from "./deliveries.sql.ts";
import {
  findChargesUnlikeTheirDisputes,
  findDisputesAnnouncedWrongly,
  findDisputesNotPosted,
  findStuckDisputes,
} from "./disputes.sql.ts";
import {
  findChargesAnnouncedWrongly,
  findEventsAboutNothing,
  findSessionsAnnouncedWrongly,
} from "./events.sql.ts";
import {
  findBalancesUnlikeTheirObjects,
  findCheckpointsUnlikeTheLedger,
  findImpossibleAmounts,
  findMalformedEntries,
  findPaymentsNotPosted,
  findPostingsWithoutPayment,
  findSettlementsNotPosted,
  findTransfersBetweenWrongAccounts,
  findUnbalancedLedgers,
} from "./ledger.sql.ts";
import {
  findChargesUnlikeTheirOperations,
  findOperationsUnlikeTheAcquirer,
  findRefundsAnnouncedWrongly,
  findRefundsNotPosted,
  findStuckOperations,
} from "./operations.sql.ts";
import { findPayoutsNotPosted, findPayoutsUnlikeTheBank } from "./payouts.sql.ts";
import { findCardsBeyondTheirTerm } from "./retention.sql.ts";
import { findStuck } from "./schedule.sql.ts";
import { findSessionsPaidTwice, findSessionsUnlikeTheirCharge } from "./sessions.sql.ts";
import { findLinesWithoutFile } from "./settlement.sql.ts";
import {
  findKeysSharedByCharges,
  findKeysWithoutResponse,
  findResponsesContradictingCharge,
  findStoredFaults,
} from "./stored-responses.sql.ts";

/** The invariants that must hold even after a failure. The operator's report has one line for each. */
export const checks = [
  {
    name: "debits_equal_credits",
    invariant: "Debits equal credits for every merchant and currency.",
    counts: "transfers",
    find: findUnbalancedLedgers,
  },
  {
    name: "entries_are_complete",
    invariant: "Every ledger entry has exactly one currency and all of its transfers.",
    counts: "transfers",
    find: findMalformedEntries,
  },
  {
    name: "transfers_match_their_kind",
    invariant: "Every transfer is between the ledger accounts that its kind requires.",
    counts: "transfers",
    find: findTransfersBetweenWrongAccounts,
  },
  {
    name: "payments_are_in_ledger",
    invariant:
      "Every succeeded payment has one ledger entry with the captured amount, and a second one if the capture failed later.",
    counts: "charges",
    find: findPaymentsNotPosted,
  },
  {
    name: "ledger_payments_succeeded",
    invariant: "Only payments that succeeded have a ledger entry.",
    counts: "transfers",
    find: findPostingsWithoutPayment,
  },
  {
    name: "amounts_are_possible",
    invariant:
      "Refunds and disputes together are at most the captured amount, which is at most the charge's amount.",
    counts: "charges",
    find: findImpossibleAmounts,
  },
  {
    name: "balances_follow_objects",
    invariant:
      "Every balance equals the captured amounts minus fees, refunds, disputes and payouts.",
    counts: "transfers",
    find: findBalancesUnlikeTheirObjects,
  },
  {
    name: "checkpoints_match_ledger",
    invariant: "Every balance checkpoint equals the sum of the ledger.",
    counts: "transfers",
    find: findCheckpointsUnlikeTheLedger,
  },
  {
    name: "payments_are_approved",
    invariant: "Every payment has an approval at the acquirer with its reference and amount.",
    counts: "charges",
    find: findPaymentsWithoutApproval,
  },
  {
    name: "approvals_have_payments",
    invariant:
      "Every approval at the acquirer belongs to a payment, or to a charge with a pending inquiry.",
    counts: "approvals",
    find: findOrphanApprovals,
  },
  {
    name: "operations_are_done",
    invariant:
      "Every capture, void and refund matches one operation at the acquirer with the same amount.",
    counts: "operations",
    find: findOperationsUnlikeTheAcquirer,
  },
  {
    name: "operations_add_up",
    invariant: "The captured and refunded amounts of a charge equal the sums of its operations.",
    counts: "operations",
    find: findChargesUnlikeTheirOperations,
  },
  {
    name: "refunds_are_in_ledger",
    invariant: "Every refund has one ledger entry with the refunded amount.",
    counts: "operations",
    find: findRefundsNotPosted,
  },
  {
    name: "refunds_are_announced_once",
    invariant: "Every final state of a refund has one event.",
    counts: "operations",
    find: findRefundsAnnouncedWrongly,
  },
  {
    name: "disputes_add_up",
    invariant: "The disputed amount of a charge equals the sum of its disputes.",
    counts: "disputes",
    find: findChargesUnlikeTheirDisputes,
  },
  {
    name: "disputes_are_in_ledger",
    invariant: "Every dispute withdrew its amount once, and returned or lost it once.",
    counts: "disputes",
    find: findDisputesNotPosted,
  },
  {
    name: "disputes_are_announced_once",
    invariant: "Every dispute has one event for its opening and one for its closing.",
    counts: "disputes",
    find: findDisputesAnnouncedWrongly,
  },
  {
    name: "no_dispute_is_stuck",
    invariant: "No dispute has missed its deadline or has an unsent response.",
    counts: "disputes",
    find: (read, { stuckAfterMs }) => findStuckDisputes(read, stuckAfterMs),
  },
  {
    name: "payouts_are_done",
    invariant: "Every payout matches one transfer at the bank with the same amount.",
    counts: "payouts",
    find: findPayoutsUnlikeTheBank,
  },
  {
    name: "payouts_are_in_ledger",
    invariant:
      "Every payout left the balance once, arrived or was returned at most once, and is not overdue.",
    counts: "payouts",
    find: (read, { stuckAfterMs }) => findPayoutsNotPosted(read, stuckAfterMs),
  },
  {
    name: "settlements_are_in_ledger",
    invariant:
      "Every settlement of a live acquirer has its amounts in the ledger, and a payout if one was paid.",
    counts: "transfers",
    find: findSettlementsNotPosted,
  },
  {
    name: "references_are_used_once",
    invariant: "No reference appears twice at the acquirer.",
    counts: "approvals",
    find: findReferencesUsedTwice,
  },
  {
    name: "authentication_is_enforced",
    invariant:
      "No payment succeeded after 3-D Secure failed or without a required 3-D Secure result, and every charge reports its result.",
    counts: "authentications",
    find: findPaymentsAgainstAuthentication,
  },
  {
    name: "responses_match_charges",
    invariant: "Every stored response describes its own charge, in a state that the charge had.",
    counts: "keys",
    find: findResponsesContradictingCharge,
  },
  {
    name: "no_error_is_stored",
    invariant: "No server error or rejection is stored as the response to an idempotency key.",
    counts: "keys",
    find: findStoredFaults,
  },
  {
    name: "keys_have_responses",
    invariant:
      "Every claimed idempotency key has its charge, and every processed charge has its stored response.",
    counts: "keys",
    find: findKeysWithoutResponse,
  },
  {
    name: "one_key_one_charge",
    invariant: "One idempotency key created one charge, and one charge has one key.",
    counts: "keys",
    find: findKeysSharedByCharges,
  },
  {
    name: "charges_are_announced_once",
    invariant: "Every final state of a charge has one event, and no other state has any.",
    counts: "charges",
    find: findChargesAnnouncedWrongly,
  },
  {
    name: "sessions_are_announced_once",
    invariant: "Every completed or expired session has one event.",
    counts: "sessions",
    find: findSessionsAnnouncedWrongly,
  },
  {
    name: "events_have_objects",
    invariant: "Every event refers to an existing object.",
    counts: "events",
    find: findEventsAboutNothing,
  },
  {
    name: "deliveries_have_events",
    invariant: "Every delivery refers to an existing event.",
    counts: "deliveries",
    find: findDeliveriesOfNothing,
  },
  {
    name: "deliveries_have_reasons",
    invariant: "Every delivery has succeeded, is scheduled, or has a reason for its failure.",
    counts: "deliveries",
    find: findDeliveriesWithoutReason,
  },
  {
    name: "events_are_queued",
    invariant: "Every event has a delivery for each subscribed endpoint.",
    counts: "events",
    find: findEventsNotQueued,
    applies: ({ endpointsNeverChanged }) => endpointsNeverChanged,
  },
  {
    name: "sessions_follow_charges",
    invariant: "Every session has the state that follows from its charge.",
    counts: "sessions",
    find: findSessionsUnlikeTheirCharge,
  },
  {
    name: "sessions_are_paid_once",
    invariant: "No session was paid twice.",
    counts: "sessions",
    find: findSessionsPaidTwice,
  },
  {
    name: "cards_within_their_term",
    invariant: "No card is stored longer than an operation needs it.",
    counts: "cards",
    find: (read, { stuckAfterMs }) => findCardsBeyondTheirTerm(read, stuckAfterMs),
  },
  {
    name: "nothing_is_stuck",
    invariant: "No charge, session, authentication or delivery is overdue.",
    counts: "charges",
    find: (read, { stuckAfterMs }) => findStuck(read, stuckAfterMs),
  },
  {
    name: "no_operation_is_stuck",
    invariant: "No capture, void or refund is overdue.",
    counts: "operations",
    find: (read, { stuckAfterMs }) => findStuckOperations(read, stuckAfterMs),
  },
  {
    name: "settlement_lines_have_files",
    invariant: "Every settlement line belongs to a stored settlement file.",
    counts: "settlementLines",
    find: findLinesWithoutFile,
  },
  {
    name: "audit_log_is_intact",
    invariant: "No audit log entry was changed, forged or removed.",
    counts: "acts",
    find: (read, { audit }) => findBrokenAuditChains(read, audit),
  },
  {
    name: "no_card_outside_the_vault",
    invariant: "No table contains a card number or security code in cleartext.",
    counts: "tables",
    find: (read) => findCardsOutsideTheVault(read),
    applies: ({ cards }) => cards,
  },
  {
    name: "acknowledged_states_hold",
    invariant: "Every charge state that a client received is still valid.",
    counts: "acknowledged",
    find: (read, { acknowledged }) => findBrokenAcknowledgements(read, acknowledged),
    applies: ({ acknowledged }) => acknowledged.length > 0,
  },
] as const satisfies readonly Check[];

export type CheckName = (typeof checks)[number]["name"];
