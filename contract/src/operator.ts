import Type, { type Static } from "typebox";
import { type AccountStatus, accountStatuses } from "./account.ts";
import {
  type Application,
  type ApplicationStatus,
  applicationParts,
  applicationStatuses,
} from "./application.ts";
import { AuditEntry } from "./audit.ts";
import { serviceAuditActionNames } from "./audit-actions.ts";
import { maxAmount } from "./currency.ts";
import { downloadQuery, listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import type { ReconciliationDifference } from "./reconciliation.ts";
import { text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** The private API of the admin console, `/operator/v1`. It is not part of the merchants' API. */

const reason = () => text(2000, "Reason for the change. It is stored permanently.");
const seenVersion = () =>
  Type.Integer({ minimum: 1, description: "Version of the application that was reviewed." });
const strict = { additionalProperties: false } as const;

export const checklistItems = [
  "business_exists",
  "identity_matches",
  "owners_known",
  "bank_account_owned",
  "products_allowed",
  "website_complete",
  "volume_plausible",
] as const;
export type ChecklistItem = (typeof checklistItems)[number];

/**
 * A decision on an application. `version` is the version that the operator has read. The reason is for the operators'
 * records.
 */
export const Decide = Type.Object(
  { version: seenVersion(), reason: Type.Optional(reason()) },
  strict,
);
export type Decide = Static<typeof Decide>;

export const DecideWithReason = Type.Object({ version: seenVersion(), reason: reason() }, strict);
export type DecideWithReason = Static<typeof DecideWithReason>;

export const RequestMoreInformation = Type.Object(
  {
    version: seenVersion(),
    requests: Type.Array(
      Type.Object(
        {
          section: Type.Enum([...applicationParts], { description: "Section of the application." }),
          message: text(1000, "Requested information, for the merchant to read."),
        },
        { ...strict, description: "One request for information." },
      ),
      { minItems: 1, maxItems: 20, description: "Requested information." },
    ),
  },
  strict,
);
export type RequestMoreInformation = Static<typeof RequestMoreInformation>;

export const WriteNote = Type.Object({ text: text(5000, "Text of the note.") }, strict);
export const CheckItem = Type.Object(
  {
    item: Type.Enum([...checklistItems], { description: "Subject of the check." }),
    checked: Type.Boolean({ description: "True if the check passed." }),
  },
  strict,
);
export const WithReason = Type.Object({ reason: reason() }, strict);
export type WithReason = Static<typeof WithReason>;

/** Makes an existing person an operator. */
export const AddOperator = Type.Object(
  { email: emailAddress("Email address with which the operator signs in."), reason: reason() },
  strict,
);
export type AddOperator = Static<typeof AddOperator>;

export const ListApplications = Type.Object(
  {
    status: oneOrMore(
      applicationStatuses,
      "Status to filter by. By default all applications that wait for a decision.",
    ),
  },
  strict,
);

export const ListAccounts = Type.Object(
  {
    status: oneOrMore(accountStatuses, "Status to filter by."),
    search: Type.Optional(
      text(
        100,
        "Search text: part of the account's name, its complete ID, or a team member's email address.",
      ),
    ),
    starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  strict,
);
export type ListAccounts = Static<typeof ListAccounts>;

const amountOfTerms = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: maxAmount, description }));

/** The amounts that the operator sets for an account in one currency. */
export const TermsAmounts = Type.Object(
  {
    fixed_fee: amountOfTerms(0, "Fixed part of the fee of a payment."),
    dispute_fee: amountOfTerms(0, "Fee of a dispute."),
    min_charge: amountOfTerms(1, "Minimum amount of a charge."),
    max_charge: amountOfTerms(1, "Maximum amount of a charge."),
    min_payout: amountOfTerms(1, "Minimum amount of a payout."),
    max_payout: amountOfTerms(1, "Maximum amount of a payout."),
  },
  strict,
);
export type TermsAmounts = Static<typeof TermsAmounts>;

/** The fees and limits of an account, all of which the service enforces. */
export const Terms = Type.Object(
  {
    fee_basis_points: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "Proportional fee, in hundredths of a percent of each payment.",
    }),
    requests_per_second: Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
      description: "Requests per second in each mode. Null for the service's setting.",
    }),
    amounts: Type.Record(Type.String({ pattern: "^[a-z]{3}$" }), TermsAmounts, {
      description:
        "Amounts that differ from the defaults, by currency, in its smallest unit. All other amounts have the default, which the documentation lists under Currencies.",
    }),
  },
  strict,
);
export type Terms = Static<typeof Terms>;

/** The service's defaults. They apply where an account's terms set no value. */
export type DefaultTerms = {
  /** Requests per second in each mode. Null means no limit. */
  readonly requests_per_second: number | null;
  /** Default fees and limits by currency, in minor units: USD and every currency that the account's terms override. */
  readonly amounts: Readonly<Record<string, Required<TermsAmounts>>>;
};

export const ChangeTerms = Type.Object({ terms: Terms, reason: reason() }, strict);
export type ChangeTerms = Static<typeof ChangeTerms>;

/** An entry of the service-wide audit log. Its actions differ from those in an account's log. */
export const ServiceAuditEntry = Type.Object({
  ...AuditEntry.properties,
  action: Type.Enum([...serviceAuditActionNames]),
});

const serviceAuditFilters = {
  action: oneOrMore(serviceAuditActionNames, "Action to filter by."),
  actor_id: Type.Optional(text(255, "Person to filter by. Begins with `per_`.")),
  object_id: Type.Optional(text(255, "ID of the object to filter by.")),
};
export const ListServiceAudit = listQuery(serviceAuditFilters);
export type ListServiceAudit = Static<typeof ListServiceAudit>;
export const DownloadServiceAudit = downloadQuery(serviceAuditFilters);
export type DownloadServiceAudit = Static<typeof DownloadServiceAudit>;

export const proposalKinds = [
  "approve_application",
  "change_terms",
  "add_operator",
  "reset_operator_factor",
  "reset_member_factor",
  "activate_connection",
  "replace_secrets",
  "create_assignment",
  "change_assignment",
] as const;
export type ProposalKind = (typeof proposalKinds)[number];
/**
 * `obsolete` means that the change can no longer be made, because its object or its proposer has changed in the
 * meantime.
 */
export const proposalStatuses = [
  "pending",
  "confirmed",
  "rejected",
  "withdrawn",
  "expired",
  "obsolete",
] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** A change that is made only after a second operator confirms it. */
export const OperatorProposal = Type.Object({
  id: Type.String(),
  object: Type.Literal("proposal"),
  kind: Type.Enum([...proposalKinds]),
  account: nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  reason: Type.String(),
  status: Type.Enum([...proposalStatuses]),
  created: Type.Integer(),
  expires_at: Type.Integer(),
  /** The email address of the operator who made the proposal. */
  proposed_by: Type.String(),
  /** True when the caller made the proposal and so cannot confirm it. */
  is_own: Type.Boolean(),
  decided_by: nullable(Type.String()),
  decided_at: nullable(Type.Integer()),
});
export type OperatorProposal = Static<typeof OperatorProposal>;

/** A secret that an acquirer issued: printable ASCII characters without spaces. */
export const acquirerSecret = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: "^[\\x21-\\x7e]+$",
    "x-florin": "encrypted",
    description,
  });

/** The key with which an acquirer signs notifications. */
export const hmacKey = (description: string) => acquirerSecret(255, description);

export const ConfirmProposal = Type.Object(
  {
    hmac_key: Type.Optional(
      hmacKey(
        "New HMAC key as the acquirer's own console shows it. Required for a proposal of the kind `replace_secrets`, which is confirmed only if this key is the proposed key. Leave it out for all other kinds.",
      ),
    ),
  },
  strict,
);
export type ConfirmProposal = Static<typeof ConfirmProposal>;

export const OperatorProposals = Type.Object({
  /** True when FLORIN_FOUR_EYES is on. */
  four_eyes: Type.Boolean(),
  data: Type.Array(OperatorProposal),
});
export type OperatorProposals = Static<typeof OperatorProposals>;

export const ReadFigures = Type.Object(
  {
    mode: Type.Enum(["test", "live"], { description: "Mode to read." }),
    by: Type.Enum(["hour", "day"], {
      description:
        "Range of the figures: the last 48 hours by the hour, or the last 30 days by the day.",
    }),
  },
  strict,
);
export type ReadFigures = Static<typeof ReadFigures>;

export type QueuedApplication = {
  readonly account: string;
  readonly account_name: string;
  readonly status: ApplicationStatus;
  readonly submitted_at: number | null;
  readonly decided_at: number | null;
};

export type HistoryEntry = {
  readonly id: string;
  readonly created: number;
  /** The transition, or null for a note. */
  readonly transition: string | null;
  readonly by: string;
  readonly text: string | null;
};

export type ReviewedApplication = {
  readonly application: Application;
  readonly account: OperatorAccount;
  readonly checklist: readonly {
    readonly item: ChecklistItem;
    readonly question: string;
    readonly checked_by: string | null;
    readonly checked_at: number | null;
  }[];
  readonly history: readonly HistoryEntry[];
};

export type OperatorAccount = {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly created: number;
  readonly status: AccountStatus;
  readonly application_status: ApplicationStatus;
  readonly approved_at: number | null;
  /** True when the account is approved and connected to an acquirer. */
  readonly live_charges_enabled: boolean;
  readonly terms: Terms;
};

export type AccountPage = {
  readonly data: readonly OperatorAccount[];
  readonly has_more: boolean;
};

export type OperatorAccountObject = {
  readonly account: OperatorAccount;
  readonly default_terms: DefaultTerms;
  readonly team: readonly {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: string;
    readonly second_factor: boolean;
  }[];
  readonly history: readonly HistoryEntry[];
};

export const OperatorInConsole = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  second_factor: Type.Boolean(),
});
export type OperatorInConsole = Static<typeof OperatorInConsole>;

/** All operators, or the proposal that a second operator has to confirm. */
export const OperatorsOrProposal = Type.Union([
  Type.Object({ data: Type.Array(OperatorInConsole) }),
  OperatorProposal,
]);

/** The number of waiting and of overdue items in a queue of background work. */
export type QueueFigures = {
  readonly name: string;
  readonly waiting: number;
  readonly overdue: number;
  /** The due time of the oldest overdue item, in Unix seconds. */
  readonly oldest: number | null;
};

export type UnknownOutcome = {
  readonly account: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly reason: string;
  /** True if the charge is being reversed, so that it can no longer succeed. Always false for an operation. */
  readonly reversal_pending: boolean;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
};

/** The result of restarting status inquiries that ended without an outcome. */
export const InquiriesRestarted = Type.Object({
  /** The number of charges and operations whose inquiries were restarted. */
  restarted: Type.Integer(),
  /** True if more inquiries can be restarted by repeating the call. */
  has_more: Type.Boolean(),
});
export type InquiriesRestarted = Static<typeof InquiriesRestarted>;

/** A charge that an operator has marked as failed. */
export const ChargeMarkedFailed = Type.Object({
  id: Type.String(),
  livemode: Type.Boolean(),
  status: Type.Enum(["failed"]),
});
export type ChargeMarkedFailed = Static<typeof ChargeMarkedFailed>;

export type FailingEndpoint = {
  readonly account: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly failing_since: number | null;
  readonly failures: number;
};

export type OpenDifferences = {
  readonly account: string;
  readonly livemode: boolean;
  readonly count: number;
};

/**
 * The last restore of the database from a backup, and the result of reconciling the days from `restored_to` to
 * `restored_at`.
 */
export type LastRestore = {
  readonly restored_at: number;
  /**
   * The point in time to which the database was restored. The restored database contains everything that the service
   * acknowledged before this time.
   */
  readonly restored_to: number;
  /**
   * The number of days from `restored_to` to `restored_at` that were compared since the restore, summed over all
   * merchants and modes.
   */
  readonly days_compared: number;
  /**
   * The number of days from `restored_to` to `restored_at` that could not be compared, because they have no usable
   * settlement file.
   */
  readonly days_without_file: number;
  /** Open differences that were found since the restore. `data` contains the first 100. */
  readonly differences: {
    readonly total: number;
    readonly data: readonly (ReconciliationDifference & { readonly account: string })[];
  };
};

export type Health = {
  readonly checked_at: number;
  readonly queues: readonly QueueFigures[];
  readonly unknown_outcomes: readonly UnknownOutcome[];
  readonly failing_endpoints: readonly FailingEndpoint[];
  /** Merchants with unexplained differences between our ledger and the acquirer's files. */
  readonly open_differences: readonly OpenDifferences[];
  /** The newest restore. Null if it was more than 30 days ago, or if there was none. */
  readonly last_restore: LastRestore | null;
  /** People who have not signed in for 90 days, operators first (PCI DSS 8.2.6). */
  readonly inactive_people: {
    readonly total: number;
    readonly data: readonly {
      readonly id: string;
      readonly name: string;
      readonly email: string;
      readonly operator: boolean;
      readonly last_active: number;
    }[];
  };
  /** The daily search for card data outside the vault. */
  readonly card_search: {
    /** The hour in UTC from which the search runs, or null if it is disabled. */
    readonly hour: number | null;
    /** The status of the newest search. Null before the first search. */
    readonly status: CheckerRun["status"] | null;
    /** The reason why the newest search failed. */
    readonly error: string | null;
    readonly last_success: number | null;
    /** The number of locations at which the last successful search found card data. */
    readonly findings: number | null;
    /** The first locations: table, column, row and the last four digits. */
    readonly places: readonly string[];
  };
  readonly processes: readonly { readonly number: number; readonly seen_at: number }[];
  readonly database: { readonly size_bytes: number; readonly connections: number };
};

export type CheckerRun = {
  readonly id: string;
  readonly requested_at: number;
  readonly requested_by: string | null;
  readonly status: "waiting" | "running" | "ended" | "failed";
  readonly ended_at: number | null;
  readonly error: string | null;
  readonly report: CheckerReport | null;
};

export type CheckerReport = {
  readonly violations: number;
  readonly duration_ms: number;
  readonly results: readonly {
    readonly name: string;
    readonly invariant: string;
    readonly examined: number;
    readonly violations: number;
    readonly sentences: readonly string[];
  }[];
};

export type Figures = {
  readonly by: "hour" | "day";
  readonly from: number;
  readonly to: number;
  /** Milliseconds from the request to the decision, for charges without 3-D Secure in all periods together. */
  readonly median_ms: number | null;
  readonly p95_ms: number | null;
  readonly periods: readonly {
    /** The start of the period. */
    readonly at: number;
    readonly charges: number;
    readonly approved: number;
    readonly declined: number;
    readonly undecided: number;
    /** Milliseconds from the request to the decision, for charges without 3-D Secure. */
    readonly median_ms: number | null;
    readonly p95_ms: number | null;
    readonly volume: Readonly<Record<string, number>>;
  }[];
};

export type ProcessorInConsole = {
  readonly mode: "test" | "live";
  readonly id: string | null;
  readonly name: string;
  readonly configured: boolean;
  readonly explanation: string;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
};
