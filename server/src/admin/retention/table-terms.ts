import { maxListEntries } from "@florin/contract/list-entry.ts";
import { maxRules } from "@florin/contract/rule.ts";
import { maxWebhookEndpoints } from "@florin/contract/webhook-endpoint.ts";
import { mailKeptDays } from "../../identity/people/people.jobs.ts";
import { idleMs } from "../../identity/people/session.ts";
import { invitationLifeMs } from "../../identity/team/invitation.sql.ts";
import { approvalLifeMs } from "../../insights/metrics/approval.sql.ts";
import { paymentHourLifeMs } from "../../insights/metrics/metrics.sql.ts";
import { checkerRunLifeMs } from "../../insights/monitoring/checker-run.sql.ts";
import { notificationLifeMs as teamNotificationLifeMs } from "../../insights/notifications/notification.ts";
import { requestLifeMs } from "../../insights/request-log/request-log.jobs.ts";
import { redirectLifeMs } from "../../payments/charges/acquirer-redirect.sql.ts";
import { disputeFileLifeMs } from "../../payments/disputes/dispute-file.sql.ts";
import { draftLifeMs } from "../../payments/disputes/evidence-draft.sql.ts";
import { notificationLifeMs } from "../../payments/notifications/acquirer-notification.sql.ts";
import { receiptLifeMs } from "../../payments/receipts/receipt.ts";
import { reconciliationLifeMs } from "../../reconciliation/reconciliation.sql.ts";
import { tokenUseLifeMs } from "../../vault/wallets/wallet-token-use.sql.ts";
import { eventLifeMs } from "../../webhooks/events/event.ts";
import { proposalLifeMs } from "../operator/proposal.sql.ts";

/** The time for which the rows of a table are kept. */
export type Term =
  /** The service does not delete the rows. Their number grows only with the objects that `rows` names. */
  | { readonly kind: "kept"; readonly rows: string }
  /** A job deletes each row `lifeMs` after `since`. */
  | Deleted
  /** A job deletes each row at the event that `when` names. */
  | { readonly kind: "queue"; readonly rows: string; readonly when: string; readonly by: string }
  /** The table grows with the payments until the operator archives old payments. */
  | { readonly kind: "payment"; readonly rows: string };

export type Deleted = {
  readonly kind: "deleted";
  readonly rows: string;
  readonly lifeMs: number;
  /** The event at which the lifetime starts. */
  readonly since: string;
  /** True if rows are dropped in partitions of a week. A row can then stay for up to a week longer than `lifeMs`. */
  readonly byWeek?: true;
  /** A further condition of the deletion, which begins with "if" or "unless". */
  readonly condition?: string;
  /** The name of the loop that deletes the rows. */
  readonly by: string;
};

const hour = 60 * 60_000;
const day = 24 * hour;

const kept = (rows: string): Term => ({ kind: "kept", rows });
const queue = (rows: string, when: string, by: string): Term => ({ kind: "queue", rows, when, by });
const payment = (rows: string): Term => ({ kind: "payment", rows });
const deleted = (
  rows: string,
  lifeMs: number,
  by: string,
  {
    since = "its creation",
    ...more
  }: Partial<Pick<Deleted, "since" | "condition" | "byWeek">> = {},
): Term => ({ kind: "deleted", rows, lifeMs, since, by, ...more });

const account = kept("One row for each account");
const mode = kept("One row for each account and mode");

/**
 * The term of every table: the time for which its rows are kept. A table that is missing here fails a test
 * (server/test/api/table-terms.api.test.ts), so that no new table grows without a term. `by` is the name of the loop
 * that deletes the rows.
 */
export const tableTerms: Readonly<Record<string, Term>> = {
  // Requests and notifications
  idempotency_keys: deleted("One row for each key", day, "idempotency key expiry"),
  request_log: deleted("One row for each logged request", requestLifeMs, "partitions", {
    byWeek: true,
  }),
  events: deleted("One row for each event", eventLifeMs, "partitions", { byWeek: true }),
  webhook_deliveries: deleted("One row for each event and endpoint", eventLifeMs, "partitions", {
    byWeek: true,
    condition: "unless a delivery of the week is pending",
  }),
  acquirer_notifications: deleted(
    "One row for each notification of a live acquirer",
    notificationLifeMs,
    "expiry of records",
    { condition: "if the notification was applied, ignored or dismissed" },
  ),
  acquirer_redirects: deleted(
    "One row for each charge or card verification that an acquirer authenticates",
    redirectLifeMs,
    "expiry of records",
  ),
  configuration_changes: deleted("One row for each change", hour, "configuration change expiry"),
  velocity_counts: deleted(
    "One row for each card, address or device and each hour in which it had an attempt",
    25 * hour,
    "velocity expiry",
  ),

  // Payments
  charges: payment("One row for each charge"),
  operations: payment("One row for each capture, void and refund"),
  disputes: payment("One row for each dispute"),
  dispute_drafts: deleted(
    "One row for each dispute with evidence that is not submitted",
    draftLifeMs,
    "expiry of records",
    { since: "its last change" },
  ),
  dispute_files: deleted(
    "One row for each file that a merchant uploads as evidence",
    disputeFileLifeMs,
    "expiry of records",
    { condition: "if the dispute is closed" },
  ),
  authentications: payment("One row for each charge or card verification with 3-D Secure"),
  card_verifications: payment(
    "One row for each attempt to verify a card in a session of mode `setup`",
  ),
  charge_attempts: payment(
    "One row for each attempt that was followed by an attempt over another connection",
  ),
  ledger_transfers: payment(
    "Two rows for each payment, and one to three for each refund and dispute",
  ),
  checkout_sessions: payment("One row for each session"),
  decisions: payment("One row for each decision that a merchant requested"),
  payment_methods: payment("One row for each card"),
  charge_search: payment(
    "One row for each block of 128 charges, and one for each later change of a charge",
  ),
  receipts: deleted(
    "One row for each receipt that was emailed to a customer",
    receiptLifeMs,
    "expiry of records",
  ),
  receipt_progress: kept("One row"),
  wallet_token_uses: deleted(
    "One row for each token of a wallet that a customer paid with",
    tokenUseLifeMs,
    "expiry of records",
    { since: "the expiry of the token" },
  ),
  settlement_files: payment("One row for each account, mode and day"),
  settlement_lines: payment("One row for each settled transaction"),
  settlement_reports: payment("One row for each batch of a live acquirer"),
  settlement_report_lines: payment("One row for each settled transaction of a live acquirer"),
  charge_search_late: queue(
    "One row for each charge to index again",
    "the charge is indexed",
    "search entries",
  ),
  charge_search_progress: mode,
  archives: kept("One row for up to 5,000 archived charges of an account and mode"),
  archive_horizons: mode,
  archived_transfers: kept("One row for each account, mode, currency and kind of transfer"),
  payouts: kept("One row for each payout"),
  settlements: kept("One row for each batch, account and currency"),
  clock_advances: queue(
    "One row for each advance of a test clock that is in progress",
    "the advance is complete",
    "clock advances",
  ),
  balance_checkpoints: kept(
    "For each account, mode and currency: one row for each hour of the last 33 days",
  ),
  balance_checkpoint_progress: kept("One row"),

  // Figures and records
  payment_hours: deleted(
    "One row for each account, mode, currency and hour",
    paymentHourLifeMs,
    "expiry of records",
  ),
  payment_hours_progress: mode,
  approval_hours: deleted(
    "One row for each combination of connection, card network, issuing country and decline code, for each hour",
    approvalLifeMs,
    "expiry of records",
  ),
  settlement_costs: deleted(
    "One row for each combination of connection, card network, issuing country and currency, for each day",
    approvalLifeMs,
    "expiry of records",
  ),
  reconciliations: deleted(
    "One row for each account, mode and day",
    reconciliationLifeMs,
    "expiry of records",
  ),
  reconciliation_differences: deleted(
    "One row for each difference",
    reconciliationLifeMs,
    "expiry of records",
    { condition: "if the difference is closed" },
  ),
  checker_runs: deleted(
    "One row for each consistency check and for each daily card search",
    checkerRunLifeMs,
    "expiry of records",
    { condition: "if the run has ended" },
  ),
  operator_proposals: deleted(
    "One row for each change that needs a second operator",
    proposalLifeMs,
    "expiry of records",
    { condition: "if the proposal is no longer pending" },
  ),
  audit_log: kept(
    "One row for each sensitive action. Entries are never deleted, because each contains the hash of the one before it",
  ),
  audit_heads: account,

  // Cards and customers
  vault_cards: queue(
    "One row for each card that can still be charged",
    "no operation needs the card any longer ([card retention](card-retention.md))",
    "card retention",
  ),
  customers: kept("One row for each customer. Deletion erases the personal data and keeps the ID"),

  // Accounts and people
  accounts: account,
  account_settings: mode,
  account_logos: kept("At most one row for each account"),
  api_keys: kept("One row for each key. Revoked keys are kept"),
  members: kept("One row for each team member, until the member is removed"),
  team_notifications: deleted(
    "One row for each event of which a team is notified",
    teamNotificationLifeMs,
    "expiry of records",
  ),
  notification_preferences: kept("One row for each member and mode, deleted with the member"),
  invitations: deleted("One row for each invitation", invitationLifeMs, "expiry of records", {
    since: "the expiry of its link",
  }),
  saved_views: kept("One row for each saved view, until it is deleted"),
  people: kept("One row for each person"),
  sessions: deleted("One row for each sign-in", idleMs, "expiry of sessions and links", {
    since: "its last request",
  }),
  passkeys: kept("One row for each passkey, until it is removed"),
  passkey_challenges: deleted("One row for each challenge", 0, "expiry of sessions and links", {
    since: "its expiry",
  }),
  totp_secrets: kept("One row for each person who has set up an authenticator app"),
  recovery_codes: kept("Ten rows for each person with a second factor"),
  links: deleted("One row for each emailed link", 0, "expiry of sessions and links", {
    since: "its expiry",
  }),
  sign_in_attempts: deleted(
    "One row for each email address and for each network with a failed sign-in",
    day,
    "expiry of sessions and links",
    { since: "the last failure" },
  ),
  failed_sign_ins: queue(
    "Counts of the failed sign-ins of the current minute",
    "the counts are written to the audit log",
    "failed sign-ins",
  ),
  mails: deleted("One row for each email", mailKeptDays * day, "expiry of sessions and links"),
  mail_counts: deleted(
    "One row for each recipient and for each account that caused an email on that day",
    0,
    "expiry of sessions and links",
    { since: "the end of the day" },
  ),

  // Rules, endpoints and connections
  rules: kept(`At most ${maxRules} rows for each account and mode`),
  list_entries: kept(
    `At most ${maxListEntries.toLocaleString("en")} rows for each account and mode`,
  ),
  rule_set_revisions: mode,
  webhook_endpoints: kept(`At most ${maxWebhookEndpoints} rows for each account and mode`),
  processor_connections: kept("One row for each connection to an acquirer"),
  routing_rules: kept("One row for each change of an account's routing rules"),
  wallet_configurations: kept("One row for each wallet that an account accepts in live mode"),
  wallet_keys: queue(
    "One row for each key of an account at a wallet",
    "it is removed, or 30 days after it was replaced",
    "expiry of wallet keys",
  ),
  processor_assignments: kept("One row for each assignment of an account to a connection"),
  applications: account,
  application_sections: kept("One row for each saved section of an application"),
  application_documents: kept("One row for each document of an application"),
  application_history: kept("One row for each status change and each note of an application"),
  application_checks: kept("One row for each checked item of an application's checklist"),

  // The service
  processes: queue(
    "One row for each running process",
    "the process has ended",
    "process heartbeat",
  ),
  key_checks: kept("One row for each key-encryption key and each fingerprint key"),
  migrations: kept("One row for each migration"),
  restores: kept("One row for each restore of the database"),

  // The simulator of test mode
  "simulator.authorizations": payment("One row for each charge in test mode"),
  "simulator.operations": payment("One row for each capture, void and refund in test mode"),
  "simulator.operation_behaviors": payment(
    "One row for each charge whose test card or amount determines the results of later operations",
  ),
  "simulator.cases": payment("One row for each dispute in test mode"),
  "simulator.payouts": kept("One row for each payout in test mode"),
  "simulator.directory_transactions": deleted(
    "One row for each authentication",
    day,
    "simulated ACS: cleanup",
  ),
  "simulator.challenges": deleted("One row for each challenge", day, "simulated ACS: cleanup"),
};
