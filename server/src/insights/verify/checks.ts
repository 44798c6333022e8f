import { findBrokenAcknowledgements } from "./acknowledged-charges.sql.ts";
import {
  findOrphanApprovals,
  findPaymentsWithoutApproval,
  findReferencesUsedTwice,
} from "./acquirer.sql.ts";
import { findBrokenAuditChains } from "./audit.sql.ts";
import { findPaymentsAgainstAuthentication } from "./authentications.sql.ts";
import { findCardsOutsideTheVault } from "./cards.sql.ts";
import { type Check, needsAllRows } from "./check.ts";
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
import {
  findSessionsPaidTwice,
  findSessionsUnlikeTheirCharge,
  findSessionsUnlikeTheirVerification,
} from "./sessions.sql.ts";
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
    invariant:
      "Every ledger entry has one currency, only positive amounts, and no missing transfer.",
    counts: "transfers",
    find: findMalformedEntries,
  },
  {
    name: "transfers_match_their_kind",
    invariant: "Every ledger transfer is between the ledger accounts that its kind requires.",
    counts: "transfers",
    find: findTransfersBetweenWrongAccounts,
  },
  {
    name: "payments_are_in_ledger",
    invariant:
      "Every succeeded payment has one ledger entry with the captured amount. A payment whose capture failed later has a second entry that reverses the first.",
    counts: "charges",
    find: findPaymentsNotPosted,
  },
  {
    name: "ledger_payments_succeeded",
    invariant:
      "Every payment with a ledger entry has succeeded. Its capture may have failed later.",
    counts: "transfers",
    find: findPostingsWithoutPayment,
  },
  {
    name: "amounts_are_possible",
    invariant:
      "The refunded and disputed amounts of a charge together are at most the captured amount, which is at most the charge's amount. Only succeeded charges have a captured amount.",
    counts: "charges",
    find: findImpossibleAmounts,
  },
  {
    name: "balances_follow_objects",
    invariant:
      "Every balance equals the captured amounts minus fees, refunds, disputes and payouts, plus the gains and losses of currency conversions.",
    counts: "transfers",
    find: findBalancesUnlikeTheirObjects,
  },
  {
    name: "checkpoints_match_ledger",
    invariant: "Every balance checkpoint equals the sum of the ledger transfers that it covers.",
    counts: "transfers",
    find: findCheckpointsUnlikeTheLedger,
    applies: needsAllRows,
  },
  {
    name: "payments_are_approved",
    invariant:
      "Every payment has an approval at the acquirer with the same reference, amount and currency.",
    counts: "charges",
    find: findPaymentsWithoutApproval,
  },
  {
    name: "approvals_have_payments",
    invariant:
      "Every approval at the acquirer belongs to a charge that succeeded, is authorized or is still processing.",
    counts: "approvals",
    find: findOrphanApprovals,
  },
  {
    name: "operations_are_done",
    invariant:
      "Every completed capture, void and refund matches one operation at the acquirer with the same amount and result.",
    counts: "operations",
    find: findOperationsUnlikeTheAcquirer,
  },
  {
    name: "operations_add_up",
    invariant:
      "The captured and refunded amounts of a charge match its capture and refund operations.",
    counts: "operations",
    find: findChargesUnlikeTheirOperations,
  },
  {
    name: "refunds_are_in_ledger",
    invariant:
      "Every succeeded refund has one ledger entry with the refunded amount. A refund that failed after it succeeded has a second entry that returns the amount.",
    counts: "operations",
    find: findRefundsNotPosted,
  },
  {
    name: "refunds_are_announced_once",
    invariant: "Every refund has one event for each final state that it reached.",
    counts: "operations",
    find: findRefundsAnnouncedWrongly,
  },
  {
    name: "disputes_add_up",
    invariant:
      "The disputed amount of a charge equals the sum of its disputes. Inquiries and won disputes count as zero.",
    counts: "disputes",
    find: findChargesUnlikeTheirDisputes,
  },
  {
    name: "disputes_are_in_ledger",
    invariant:
      "The ledger withdraws the amount of every dispute once, except for inquiries. It returns the amount of a won dispute once, and records the amount of a lost dispute as a loss once.",
    counts: "disputes",
    find: findDisputesNotPosted,
  },
  {
    name: "disputes_are_announced_once",
    invariant:
      "Every dispute has one event for its opening, and a second one if an inquiry became a chargeback. Every closed dispute has one event for its closing.",
    counts: "disputes",
    find: findDisputesAnnouncedWrongly,
  },
  {
    name: "no_dispute_is_stuck",
    invariant: "No dispute is open past its deadline, and no response to a dispute is overdue.",
    counts: "disputes",
    find: (read, { stuckAfterMs }) => findStuckDisputes(read, stuckAfterMs),
  },
  {
    name: "payouts_are_done",
    invariant: "Every paid or failed payout matches one transfer at the bank with the same amount.",
    counts: "payouts",
    find: findPayoutsUnlikeTheBank,
  },
  {
    name: "payouts_are_in_ledger",
    invariant:
      "The ledger deducts every payout from the balance once, records the arrival of every paid payout once, and returns the amount of every failed payout once. No payout is overdue.",
    counts: "payouts",
    find: (read, { stuckAfterMs }) => findPayoutsNotPosted(read, stuckAfterMs),
  },
  {
    name: "settlements_are_in_ledger",
    invariant:
      "The ledger has the amounts of every settlement of a live acquirer. If the acquirer paid an amount out, a payout has the same amount.",
    counts: "transfers",
    find: findSettlementsNotPosted,
  },
  {
    name: "references_are_used_once",
    invariant: "No two authorizations at the acquirer have the same reference.",
    counts: "approvals",
    find: findReferencesUsedTwice,
    applies: needsAllRows,
  },
  {
    name: "authentication_is_enforced",
    invariant:
      "No charge was approved after 3-D Secure failed or without a required 3-D Secure result. Every charge shows the result of its own authentication.",
    counts: "authentications",
    find: findPaymentsAgainstAuthentication,
  },
  {
    name: "responses_match_charges",
    invariant:
      "Every stored response has the ID, amount and currency of its charge, and a status that the charge can have had.",
    counts: "keys",
    find: findResponsesContradictingCharge,
  },
  {
    name: "no_error_is_stored",
    invariant:
      "No server error or rejection of a request is stored as the response to an idempotency key.",
    counts: "keys",
    find: findStoredFaults,
  },
  {
    name: "keys_have_responses",
    invariant:
      "The charge or operation of every idempotency key exists. Once the charge or operation is processed, the key has a stored response.",
    counts: "keys",
    find: findKeysWithoutResponse,
  },
  {
    name: "one_key_one_charge",
    invariant: "Every idempotency key created at most one charge, and no charge has two keys.",
    counts: "keys",
    find: findKeysSharedByCharges,
  },
  {
    name: "charges_are_announced_once",
    invariant:
      "Every charge has one event for each outcome that it reached, such as authorized, succeeded or failed. A charge without an outcome has no such event.",
    counts: "charges",
    find: findChargesAnnouncedWrongly,
  },
  {
    name: "sessions_are_announced_once",
    invariant:
      "Every completed or expired checkout session has one event for its end, and no other session has such an event.",
    counts: "sessions",
    find: findSessionsAnnouncedWrongly,
  },
  {
    name: "events_have_objects",
    invariant: "Every event of a payment or checkout session refers to an existing object.",
    counts: "events",
    find: findEventsAboutNothing,
  },
  {
    name: "deliveries_have_events",
    invariant: "Every webhook delivery refers to an existing event.",
    counts: "deliveries",
    find: findDeliveriesOfNothing,
  },
  {
    name: "deliveries_have_reasons",
    invariant:
      "The last attempt of every succeeded webhook delivery got a 2xx response, and the last attempt of every abandoned delivery failed. Every pending delivery has a time for its next attempt.",
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
    invariant: "The status and amount of every checkout session match its charge.",
    counts: "sessions",
    find: findSessionsUnlikeTheirCharge,
  },
  {
    name: "sessions_follow_verifications",
    invariant:
      "The status and the saved card of every checkout session of mode setup match its card verification.",
    counts: "sessions",
    find: findSessionsUnlikeTheirVerification,
  },
  {
    name: "sessions_are_paid_once",
    invariant: "No checkout session was paid twice.",
    counts: "sessions",
    find: findSessionsPaidTwice,
  },
  {
    name: "cards_within_their_term",
    invariant:
      "Every card in the vault is saved for later payments, or belongs to a session or charge that may still use it.",
    counts: "cards",
    find: (read, { stuckAfterMs }) => findCardsBeyondTheirTerm(read, stuckAfterMs),
    applies: needsAllRows,
  },
  {
    name: "nothing_is_stuck",
    invariant: "No charge, checkout session, authentication or webhook delivery is overdue.",
    counts: "charges",
    find: (read, { stuckAfterMs }) => findStuck(read, stuckAfterMs),
  },
  {
    name: "no_operation_is_stuck",
    invariant:
      "No capture, void or refund is overdue, and no authorization is past its capture deadline.",
    counts: "operations",
    find: (read, { stuckAfterMs }) => findStuckOperations(read, stuckAfterMs),
  },
  {
    name: "settlement_lines_have_files",
    invariant: "Every settlement line belongs to a stored settlement file.",
    counts: "settlementLines",
    find: findLinesWithoutFile,
    applies: needsAllRows,
  },
  {
    name: "audit_log_is_intact",
    invariant: "No entry of an audit log was changed, forged or removed.",
    counts: "acts",
    find: (read, { audit }) => findBrokenAuditChains(read, audit),
    applies: needsAllRows,
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
