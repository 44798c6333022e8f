import Type, { type Static } from "typebox";
import { countryCode } from "./country.ts";
import { listQuery } from "./list.ts";
import { nullable } from "./nullable.ts";
import { acquirerSecret, hmacKey, OperatorProposal } from "./operator.ts";
import { cardNetwork, digitalWallets } from "./payment-method.ts";
import { text } from "./text.ts";

/** The connections to live acquirers and their assignments, in the private API of the admin console. */

const strict = { additionalProperties: false } as const;
const reason = () => text(2000, "Reason for the change. It is stored permanently.");
const seenVersion = (noun: string) =>
  Type.Integer({ minimum: 1, description: `Version of the ${noun} that the operator read.` });

export const connectionStateNames = [
  "draft",
  "tested",
  "active",
  "suspended",
  "draining",
  "retired",
] as const;

/** The acquirers to which a connection can be made. */
export const processorNames = ["adyen", "checkout_com", "stripe"] as const;

const name = () => text(100, "Name that is shown to operators.");

const merchantAccount = () =>
  Type.String({
    minLength: 1,
    maxLength: 80,
    pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$",
    description:
      "Merchant account at the acquirer, such as `FieldwareECOM` at Adyen or `acct_1Nv0FGQ9RKHgCVdK` at Stripe. At Checkout.com, the ID of the processing channel. Letters, digits, `_` and `-`.",
  });

const livePrefix = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: "^[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*$",
    description:
      "Prefix of the acquirer's URL, such as `1797a841fbb37ca7-Fieldware`. At Adyen, only for the live environment: the Customer Area shows it under Developers > API URLs. At Checkout.com, for both environments.",
  });

const requestsPerSecond = () =>
  nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        "Maximum number of requests that the processes of a server together send to the acquirer per second. Null for no limit. All merchants of the connection share the limit. Above the limit, the merchants send their requests in turn, and a request waits for up to 1.5 seconds. If its turn does not come in time, a charge is sent over another connection or fails with `processing_error`, and captures, cancellations and refunds are sent later. Status inquiries and reversals are not limited.",
    }),
  );

const publicKey = () =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[\\x21-\\x7e]+$",
      description:
        "Public key of the account at the acquirer, which wallets need to encrypt tokens to it. At Stripe, the publishable key, for Google Pay. At Checkout.com, the public key, for Google Pay and Apple Pay. Adyen needs none. Null if no wallet is offered.",
    }),
  );

const settings = () =>
  Type.Object(
    { merchant_account: merchantAccount(), live_prefix: Type.Optional(livePrefix()) },
    { ...strict, description: "Identifiers of the account at the acquirer." },
  );

export const CreateConnection = Type.Object(
  {
    processor: Type.Enum([...processorNames], { description: "Acquirer." }),
    name: name(),
    environment: Type.Enum(["sandbox", "live"], {
      description: "Environment of the acquirer. A sandbox moves no real money.",
    }),
    settings: settings(),
    public_key: Type.Optional(publicKey()),
    requests_per_second: Type.Optional(requestsPerSecond()),
    reason: reason(),
  },
  strict,
);
export type CreateConnection = Static<typeof CreateConnection>;

/** Settings can change only before the activation. The public key can change at any time. */
export const UpdateConnection = Type.Object(
  {
    version: seenVersion("connection"),
    name: Type.Optional(name()),
    settings: Type.Optional(settings()),
    public_key: Type.Optional(publicKey()),
    requests_per_second: Type.Optional(requestsPerSecond()),
    reason: reason(),
  },
  strict,
);
export type UpdateConnection = Static<typeof UpdateConnection>;

/**
 * The secrets of a connection, which can be written but not read. An omitted secret keeps its value. If
 * FLORIN_FOUR_EYES is on, a second operator must confirm a new HMAC key of a connection that has been activated.
 */
export const StoreConnectionSecrets = Type.Object(
  {
    version: seenVersion("connection"),
    api_key: Type.Optional(
      acquirerSecret(
        1000,
        "API key that the acquirer issued: printable ASCII characters without spaces.",
      ),
    ),
    hmac_key: Type.Optional(
      hmacKey(
        "HMAC key with which the acquirer signs notifications. At Adyen, 64 hexadecimal digits, which the Customer Area generates for the webhook. At Checkout.com, the signature key of the webhook. At Stripe, the signing secret of the webhook, which begins with `whsec_`.",
      ),
    ),
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        default: 24,
        description:
          "Hours for which notifications that are signed with the previous HMAC key are still accepted. Before the activation, the previous key is never accepted.",
      }),
    ),
    reason: reason(),
  },
  strict,
);
export type StoreConnectionSecrets = Static<typeof StoreConnectionSecrets>;

export const TestConnection = Type.Object({ version: seenVersion("connection") }, strict);
export type TestConnection = Static<typeof TestConnection>;

export const TransitionConnection = Type.Object(
  { version: seenVersion("connection"), reason: reason() },
  strict,
);
export type TransitionConnection = Static<typeof TransitionConnection>;

export const Connection = Type.Object({
  id: Type.String(),
  object: Type.Literal("connection"),
  processor: Type.Enum([...processorNames]),
  name: Type.String(),
  environment: Type.Enum(["sandbox", "live"]),
  state: Type.Enum([...connectionStateNames]),
  settings: Type.Object({
    merchant_account: Type.String(),
    live_prefix: nullable(Type.String()),
  }),
  public_key: nullable(Type.String()),
  /** The wallets whose tokens the acquirer decrypts with these settings. */
  gateway_wallets: Type.Array(Type.Enum([...digitalWallets])),
  requests_per_second: nullable(Type.Integer()),
  /** The URL to enter in the acquirer's console. The acquirer sends its notifications there. */
  webhook_url: Type.String(),
  secrets: Type.Object({
    /** The number of times that the secrets were stored. 0 if they have never been stored. */
    version: Type.Integer(),
    configured_at: nullable(Type.Integer()),
    /** The time until which the secrets from before the last rotation are still accepted. */
    previous_until: nullable(Type.Integer()),
  }),
  test: Type.Object({
    passed_at: nullable(Type.Integer()),
    /** The version of the secrets that passed the test. */
    secrets_version: nullable(Type.Integer()),
    problem: nullable(Type.String()),
  }),
  /** The first notification that was verified with the secrets of version `secrets_version`. */
  notification: nullable(Type.Object({ seen_at: Type.Integer(), secrets_version: Type.Integer() })),
  suspended_reason: nullable(Type.String()),
  /** The last time that `florin certify` passed against the acquirer's sandbox. Null if it has never passed. */
  certification: nullable(
    Type.Object({
      certified_at: Type.Integer(),
      /** The name of the connector and the version of the acquirer's API that it uses. */
      connector: Type.String(),
      /** The number of checks that passed. */
      checks: Type.Integer(),
    }),
  ),
  created: Type.Integer(),
  version: Type.Integer(),
});
export type Connection = Static<typeof Connection>;

/** The connection, or the proposal that a second operator has to confirm. */
export const ConnectionOrProposal = Type.Union([Connection, OperatorProposal]);

export const Connections = Type.Object({
  /** The environment of this instance, from FLORIN_ACQUIRERS. */
  environment: Type.Enum(["sandbox", "live"]),
  data: Type.Array(Connection),
});
export type Connections = Static<typeof Connections>;

/**
 * The health of a connection, as recorded by the server process that serves this request, since that process started.
 * Other processes have separate records.
 */
export const ConnectionHealth = Type.Object({
  state: Type.Enum([...connectionStateNames]),
  circuit: Type.Object({
    /**
     * True if the circuit breaker is open. Florin then sends no requests, because the acquirer did not respond to the
     * latest requests.
     */
    is_open: Type.Boolean(),
    failures: Type.Integer(),
    open_until: nullable(Type.Integer()),
  }),
  responses: Type.Object({
    /** The number of recorded responses, at most 50. */
    count: Type.Integer(),
    outcomes: Type.Record(Type.String(), Type.Integer()),
    median_ms: nullable(Type.Integer()),
    p95_ms: nullable(Type.Integer()),
    last_at: nullable(Type.Integer()),
  }),
  /** The acquirer's notifications that are not applied. Those in `unmatched` and `review` need an operator. */
  notifications: Type.Object({
    pending: Type.Integer(),
    unmatched: Type.Integer(),
    review: Type.Integer(),
  }),
});
export type ConnectionHealth = Static<typeof ConnectionHealth>;

export const notificationStateNames = [
  "pending",
  "applied",
  "ignored",
  "unmatched",
  "review",
  "dismissed",
] as const;

/** A notification of the acquirer, with the state of its processing. */
export const AcquirerNotification = Type.Object({
  id: Type.String(),
  object: Type.Literal("acquirer_notification"),
  connection: Type.String(),
  event_code: Type.String(),
  state: Type.Enum([...notificationStateNames]),
  /** The reason why the notification was not applied. */
  problem: nullable(Type.String()),
  /** Our reference in the notification. Null if the notification has no reference. */
  reference: nullable(Type.String()),
  /** The charge that the reference names, with its account. Null if no charge has the reference. */
  charge: nullable(Type.String()),
  account: nullable(Type.String()),
  /** Fields of the notification under the acquirer's field names. Fields with personal or card data are left out. */
  fields: Type.Record(Type.String(), Type.String()),
  created: Type.Integer(),
  version: Type.Integer(),
});
export type AcquirerNotification = Static<typeof AcquirerNotification>;

export const ListAcquirerNotifications = listQuery({
  state: Type.Optional(
    Type.Enum([...notificationStateNames], { description: "State to filter by." }),
  ),
});
export type ListAcquirerNotifications = Static<typeof ListAcquirerNotifications>;

export const ApplyNotification = Type.Object({ version: seenVersion("notification") }, strict);
export type ApplyNotification = Static<typeof ApplyNotification>;

export const DismissNotification = Type.Object(
  { version: seenVersion("notification"), reason: reason() },
  strict,
);
export type DismissNotification = Static<typeof DismissNotification>;

/** The last 50 responses of the acquirer to the server process that serves this request, newest first. */
export const ConnectionResponses = Type.Object({
  data: Type.Array(
    Type.Object({
      at: Type.Integer(),
      operation: Type.String(),
      outcome: Type.String(),
      why: nullable(Type.String()),
      duration_ms: Type.Integer(),
    }),
  ),
});
export type ConnectionResponses = Static<typeof ConnectionResponses>;

const settlementReport = {
  merchant_account: Type.String(),
  batch: Type.String(),
  /** 1 for the first report of the batch. Each corrected report adds 1. */
  revision: Type.Integer(),
  file_name: Type.String(),
  sha256: Type.String(),
  /** The time at which the first report of the batch was received. */
  received_at: Type.Integer(),
  /** The time at which all lines were matched and posted. Null until then. */
  applied_at: nullable(Type.Integer()),
  line_count: Type.Integer(),
  /** The times of the first and the last transaction. Null if the report contains no transactions. */
  posted_from: nullable(Type.Integer()),
  posted_until: nullable(Type.Integer()),
  /** The reason why the lines cannot be complete. Null if the lines add up to zero. */
  problem: nullable(Type.String()),
  sums: Type.Array(
    Type.Object({
      currency: Type.String(),
      lines: Type.Integer(),
      /** The sum of the lines of payments, refunds and disputes, after deduction of their fees. */
      transactions: Type.Integer(),
      /** The fees that were deducted from the lines of `transactions`. */
      fees: Type.Integer(),
      /** Invoices, fees of the batch, corrections and balances of other batches. */
      other: Type.Integer(),
      /** The sum of the lines of a type that Florin does not support. */
      unknown: Type.Integer(),
      unknown_lines: Type.Integer(),
      paid_out: Type.Integer(),
    }),
  ),
  /** A problem that remains after the lines were posted, and that an operator must correct. */
  warning: nullable(Type.String()),
  /**
   * The failed attempts to apply the report. Null if no attempt has failed, or if the report has been applied since.
   */
  failure: nullable(
    Type.Object({
      attempts: Type.Integer(),
      /** The error of the last attempt. */
      problem: Type.String(),
      retry_at: Type.Integer(),
    }),
  ),
  /** The number of transactions that match no charge, and the first ten of them. */
  unmatched_lines: Type.Integer(),
  unmatched: Type.Array(
    Type.Object({
      line: Type.Integer(),
      type: Type.String(),
      reference: nullable(Type.String()),
      amount: Type.Integer(),
      currency: Type.String(),
    }),
  ),
};

/** The latest settlement details reports of the connection, one per batch. Amounts are net, in minor units. */
export const ConnectionReports = Type.Object({
  data: Type.Array(Type.Object(settlementReport)),
});
export type ConnectionReports = Static<typeof ConnectionReports>;

/**
 * `stored`: the report of a new batch. `corrected`: the report replaced the lines of a stored batch. `repeated`: the
 * report has the same content as the stored report.
 */
export const UploadedReport = Type.Object({
  result: Type.Enum(["stored", "corrected", "repeated"]),
  ...settlementReport,
});
export type UploadedReport = Static<typeof UploadedReport>;

export const UploadReport = Type.Object(
  {
    file_name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "^[A-Za-z0-9._() -]+$",
      description: "Name of the file.",
    }),
  },
  strict,
);
export type UploadReport = Static<typeof UploadReport>;

const assignmentFields = {
  merchant_account: merchantAccount(),
  mcc: Type.String({
    minLength: 1,
    maxLength: 4,
    pattern: "^[0-9]{4}$",
    description: "Merchant category code (ISO 18245): four digits.",
  }),
  descriptor: nullable(
    Type.String({
      minLength: 1,
      maxLength: 22,
      pattern: "^[a-zA-Z0-9 .,'_?+*/-]*[a-zA-Z0-9][a-zA-Z0-9 .,'_?+*/-]*$",
      description:
        "Text on the cardholder's bank statement: up to 22 letters, digits, spaces and `. , ' _ - ? + * /`. Null for the text of the merchant account.",
    }),
  ),
  acquirer_bin: nullable(
    Type.String({
      minLength: 1,
      maxLength: 11,
      pattern: "^[0-9]{6,11}$",
      description: "BIN of the acquirer for 3-D Secure: 6 to 11 digits.",
    }),
  ),
  currencies: nullable(
    Type.Array(
      Type.String({
        pattern: "^[a-z]{3}$",
        description: "ISO 4217 code in lower case, such as `eur`.",
      }),
      {
        minItems: 1,
        maxItems: 200,
        description: "Currencies of the charges. Null for all that the connection supports.",
      },
    ),
  ),
  networks: nullable(
    Type.Array(cardNetwork("Card network."), {
      minItems: 1,
      maxItems: 20,
      description: "Networks of the charges. Null for all that the connection supports.",
    }),
  ),
  countries: nullable(
    Type.Array(countryCode("Country of the issuer"), {
      minItems: 1,
      maxItems: 250,
      description: "Countries of the issuers. Null for all.",
    }),
  ),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: "The assignment with the lowest number is tried first.",
  }),
};

const { merchant_account, mcc, ...optionalFields } = assignmentFields;
const optional = {
  descriptor: Type.Optional(optionalFields.descriptor),
  acquirer_bin: Type.Optional(optionalFields.acquirer_bin),
  currencies: Type.Optional(optionalFields.currencies),
  networks: Type.Optional(optionalFields.networks),
  countries: Type.Optional(optionalFields.countries),
  priority: Type.Optional(optionalFields.priority),
};

export const CreateAssignment = Type.Object(
  {
    account: text(255, "Account whose live charges use the connection. Begins with `acct_`."),
    connection: text(255, "Connection. Begins with `con_`."),
    merchant_account,
    mcc,
    ...optional,
    reason: reason(),
  },
  strict,
);
export type CreateAssignment = Static<typeof CreateAssignment>;

export const UpdateAssignment = Type.Object(
  {
    version: seenVersion("assignment"),
    mcc: Type.Optional(mcc),
    ...optional,
    reason: reason(),
  },
  strict,
);
export type UpdateAssignment = Static<typeof UpdateAssignment>;

export const EndAssignment = Type.Object(
  { version: seenVersion("assignment"), reason: reason() },
  strict,
);
export type EndAssignment = Static<typeof EndAssignment>;

export const ListAssignments = Type.Object(
  {
    account: Type.Optional(text(255, "Account to filter by. Begins with `acct_`.")),
    connection: Type.Optional(text(255, "Connection to filter by. Begins with `con_`.")),
    state: Type.Optional(
      Type.Enum(["active", "ended"], { description: "State to filter by. By default both." }),
    ),
    starting_after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Cursor: ID of the last assignment of the previous page.",
      }),
    ),
  },
  strict,
);
export type ListAssignments = Static<typeof ListAssignments>;

export const Assignment = Type.Object({
  id: Type.String(),
  object: Type.Literal("assignment"),
  account: Type.String(),
  connection: Type.String(),
  merchant_account: Type.String(),
  mcc: Type.String(),
  descriptor: nullable(Type.String()),
  acquirer_bin: nullable(Type.String()),
  currencies: nullable(Type.Array(Type.String())),
  networks: nullable(Type.Array(cardNetwork("Card network."))),
  countries: nullable(Type.Array(Type.String())),
  priority: Type.Integer(),
  state: Type.Enum(["active", "ended"]),
  ended_at: nullable(Type.Integer()),
  created: Type.Integer(),
  version: Type.Integer(),
});
export type Assignment = Static<typeof Assignment>;

/** The assignment, or the proposal that a second operator has to confirm. */
export const AssignmentOrProposal = Type.Union([Assignment, OperatorProposal]);

export const Assignments = Type.Object({
  has_more: Type.Boolean(),
  data: Type.Array(Assignment),
});
export type Assignments = Static<typeof Assignments>;
