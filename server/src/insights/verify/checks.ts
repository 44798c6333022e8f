import { findBrokenWords } from "./acknowledged.sql.ts";
import {
  findOrphanApprovals,
  findPaymentsWithoutApproval,
  findReferencesUsedTwice,
} from "./acquirer.sql.ts";
import {
  findAnswersUnlikeTheirCharge,
  findKeysSharedByCharges,
  findKeysWithoutAnswer,
  findStoredFaults,
} from "./answers.sql.ts";
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
  findImpossibleAmounts,
  findMalformedEntries,
  findPaymentsNotPosted,
  findPostingsWithoutPayment,
  findSealsUnlikeTheLedger,
  findTransfersOffRecipe,
  findUnbalancedBooks,
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

/** Every invariant that must hold after any failure. The operator's report has one line for each. */
export const checks = [
  {
    name: "books_balance",
    proves: "Debits equal credits, for every merchant and currency.",
    counts: "transfers",
    find: findUnbalancedBooks,
  },
  {
    name: "entries_are_whole",
    proves: "Every entry is of one currency and has all its lines.",
    counts: "transfers",
    find: findMalformedEntries,
  },
  {
    name: "transfers_follow_recipes",
    proves: "Every transfer moves money between the accounts its recipe names.",
    counts: "transfers",
    find: findTransfersOffRecipe,
  },
  {
    name: "payments_are_posted",
    proves: "Every payment that succeeded is in the books, once, with what was captured.",
    counts: "charges",
    find: findPaymentsNotPosted,
  },
  {
    name: "postings_have_payments",
    proves: "Nothing is in the books for a payment that did not succeed.",
    counts: "transfers",
    find: findPostingsWithoutPayment,
  },
  {
    name: "amounts_are_possible",
    proves:
      "Refunded and disputed together are at most captured, and captured is at most the amount.",
    counts: "charges",
    find: findImpossibleAmounts,
  },
  {
    name: "balances_follow_objects",
    proves: "Every balance is what was captured, less fees, refunds, disputes and payouts.",
    counts: "transfers",
    find: findBalancesUnlikeTheirObjects,
  },
  {
    name: "seals_follow_ledger",
    proves: "The sums that balances are read from are those of the ledger.",
    counts: "transfers",
    find: findSealsUnlikeTheLedger,
  },
  {
    name: "payments_are_approved",
    proves:
      "Every payment has an approval at the acquirer, under its reference and of the same amount.",
    counts: "charges",
    find: findPaymentsWithoutApproval,
  },
  {
    name: "approvals_have_payments",
    proves:
      "Every approval at the acquirer belongs to a payment, or to a charge still asked about.",
    counts: "approvals",
    find: findOrphanApprovals,
  },
  {
    name: "operations_are_done",
    proves:
      "Each capture, release and refund is one operation at the acquirer, of the same amount.",
    counts: "operations",
    find: findOperationsUnlikeTheAcquirer,
  },
  {
    name: "operations_add_up",
    proves: "What a charge says was captured and refunded is what its operations did.",
    counts: "operations",
    find: findChargesUnlikeTheirOperations,
  },
  {
    name: "refunds_are_posted",
    proves: "Every refund is in the books, once, with what went back.",
    counts: "operations",
    find: findRefundsNotPosted,
  },
  {
    name: "refunds_are_announced_once",
    proves: "Every end a refund reached has one event.",
    counts: "operations",
    find: findRefundsAnnouncedWrongly,
  },
  {
    name: "disputes_add_up",
    proves: "What a charge says is disputed is what its disputes took.",
    counts: "disputes",
    find: findChargesUnlikeTheirDisputes,
  },
  {
    name: "disputes_are_posted",
    proves: "Every dispute took its amount once, and returned or lost it once.",
    counts: "disputes",
    find: findDisputesNotPosted,
  },
  {
    name: "disputes_are_announced_once",
    proves: "Every dispute was announced when it was opened, and once when it was closed.",
    counts: "disputes",
    find: findDisputesAnnouncedWrongly,
  },
  {
    name: "no_dispute_is_stuck",
    proves: "No deadline of a dispute is missed, and no answer lies unsent.",
    counts: "disputes",
    find: (read, { stuckAfterMs }) => findStuckDisputes(read, stuckAfterMs),
  },
  {
    name: "payouts_are_done",
    proves: "Each payout is one transfer at the bank, of the same amount.",
    counts: "payouts",
    find: findPayoutsUnlikeTheBank,
  },
  {
    name: "payouts_are_posted",
    proves: "Every payout left the balance once, arrived or came back once, and none is forgotten.",
    counts: "payouts",
    find: (read, { stuckAfterMs }) => findPayoutsNotPosted(read, stuckAfterMs),
  },
  {
    name: "references_are_used_once",
    proves: "No reference stands twice in the acquirer's books.",
    counts: "approvals",
    find: findReferencesUsedTwice,
  },
  {
    name: "authentication_is_obeyed",
    proves:
      "No money moved against 3-D Secure's verdict, or without the one it needed, and every charge tells it truly.",
    counts: "authentications",
    find: findPaymentsAgainstAuthentication,
  },
  {
    name: "answers_tell_the_truth",
    proves: "Every stored answer tells of its own charge, and of a state the charge was in.",
    counts: "keys",
    find: findAnswersUnlikeTheirCharge,
  },
  {
    name: "no_fault_is_kept",
    proves: "No fault or refusal is kept as the answer to a key.",
    counts: "keys",
    find: findStoredFaults,
  },
  {
    name: "keys_lead_to_answers",
    proves: "Every claimed key leads to its charge, and every charge that moved to its answer.",
    counts: "keys",
    find: findKeysWithoutAnswer,
  },
  {
    name: "one_key_one_charge",
    proves: "One key began one charge, and one charge has one key.",
    counts: "keys",
    find: findKeysSharedByCharges,
  },
  {
    name: "ends_are_announced_once",
    proves: "Every end a charge reached has one event, and no other end has any.",
    counts: "charges",
    find: findChargesAnnouncedWrongly,
  },
  {
    name: "sessions_are_announced_once",
    proves: "Every completed or expired session has one event that says so.",
    counts: "sessions",
    find: findSessionsAnnouncedWrongly,
  },
  {
    name: "events_have_objects",
    proves: "Every event is about something that exists.",
    counts: "events",
    find: findEventsAboutNothing,
  },
  {
    name: "deliveries_have_events",
    proves: "Every delivery delivers an event that exists.",
    counts: "deliveries",
    find: findDeliveriesOfNothing,
  },
  {
    name: "deliveries_say_why",
    proves: "Every delivery has succeeded, is scheduled, or says why it was given up.",
    counts: "deliveries",
    find: findDeliveriesWithoutReason,
  },
  {
    name: "events_are_queued",
    proves: "Every event has a delivery for each endpoint that listens to it.",
    counts: "events",
    find: findEventsNotQueued,
    applies: ({ endpointsNeverChanged }) => endpointsNeverChanged,
  },
  {
    name: "sessions_follow_charges",
    proves: "Every session stands where its charge has brought it.",
    counts: "sessions",
    find: findSessionsUnlikeTheirCharge,
  },
  {
    name: "sessions_are_paid_once",
    proves: "No session was paid twice.",
    counts: "sessions",
    find: findSessionsPaidTwice,
  },
  {
    name: "cards_within_their_term",
    proves: "No card is stored longer than an operation can need it.",
    counts: "cards",
    find: (read, { stuckAfterMs }) => findCardsBeyondTheirTerm(read, stuckAfterMs),
  },
  {
    name: "nothing_is_stuck",
    proves: "Nothing waits for work that is long overdue.",
    counts: "charges",
    find: (read, { stuckAfterMs }) => findStuck(read, stuckAfterMs),
  },
  {
    name: "no_operation_is_stuck",
    proves: "No capture, release or refund waits for work that is long overdue.",
    counts: "operations",
    find: (read, { stuckAfterMs }) => findStuckOperations(read, stuckAfterMs),
  },
  {
    name: "settlement_lines_have_files",
    proves: "Every line of an acquirer's settlement file belongs to a file that is kept.",
    counts: "settlementLines",
    find: findLinesWithoutFile,
  },
  {
    name: "audit_log_is_whole",
    proves: "No entry of an audit log was changed, forged, removed or cut off.",
    counts: "acts",
    find: (read, { audit }) => findBrokenAuditChains(read, audit),
  },
  {
    name: "no_card_outside_the_vault",
    proves: "No card number or security code stands in clear in any table.",
    counts: "tables",
    find: (read) => findCardsOutsideTheVault(read),
    applies: ({ cards }) => cards,
  },
  {
    name: "words_are_kept",
    proves: "Whatever a client was told of a charge still holds.",
    counts: "acknowledged",
    find: (read, { acknowledged }) => findBrokenWords(read, acknowledged),
    applies: ({ acknowledged }) => acknowledged.length > 0,
  },
] as const satisfies readonly Check[];

export type CheckName = (typeof checks)[number]["name"];
