import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import type { EvidenceTexts } from "@florin/contract/evidence-fields.ts";
import { processorNames } from "@florin/contract/operator-connections.ts";
import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import type {
  AccountId,
  AssignmentId,
  AttemptId,
  ChargeId,
  OperationId,
  PayoutId,
  VerificationId,
} from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { CardCredentials, GatewayToken } from "../vault/card-number.ts";
import type { AuthorizationOutcome, OperationOutcome, UnknownOutcome } from "./outcome.ts";

/**
 * The interface to an acquirer. The simulator and every live acquirer implement it, so that a charge takes the same
 * path in test and live mode.
 *
 * Every method that moves money is idempotent by `reference`, which is our charge, card verification, operation or
 * payout ID: a repeated call moves money once. No method throws for a failure outside this process. If the outcome is
 * lost, the response is `unknown`.
 */
export type Processor = {
  readonly name: ProcessorName;
  /** The merchant's assignment to the connection whose credentials the requests use. Null for the simulator. */
  readonly assignmentId: AssignmentId | null;
  /**
   * For this time after an operation's first request, the acquirer recognizes a repeated request and does not execute
   * it again. Later, the acquirer no longer stores the reference, and would execute a repeated refund a second time.
   * Infinity if the acquirer stores references permanently.
   */
  readonly replaySafeForMs: number;
  /** Returns the network's data on a card before it is charged. Reads a table and sends no request. */
  lookUp(card: CardCredentials, price: Money, use: CredentialUse): CardTraits;
  authorize(request: AuthorizeRequest): Promise<AuthorizationOutcome>;
  /**
   * Authorizes a payment with a wallet's token that only this acquirer can decrypt. A repeated call moves money once,
   * but the acquirer may reject the token of the second call. Null if the acquirer decrypts no tokens for this
   * assignment.
   */
  readonly authorizeGatewayToken:
    | ((request: GatewayTokenRequest) => Promise<AuthorizationOutcome>)
    | null;
  /**
   * Verifies a card without holding money: with an authorization of the amount zero, or with the acquirer's own request
   * for it. A repeated request with the same reference returns the same outcome. Null if the acquirer offers no card
   * verification.
   */
  readonly verifyCard: ((request: VerifyCardRequest) => Promise<AuthorizationOutcome>) | null;
  /**
   * Continues an authorization after the cardholder has returned from the acquirer's page. Null if the acquirer never
   * returns `requires_action`, in which case the service authenticates the cardholder.
   */
  readonly resume: ((request: ResumeRequest) => Promise<AuthorizationOutcome>) | null;
  /**
   * True if the acquirer authorizes the payment as soon as the cardholder has authenticated on its page, even if the
   * cardholder never returns. `resume` then only reads the outcome and does not use `redirectResult`.
   */
  readonly authorizesBeforeReturn: boolean;
  /**
   * Sends a status inquiry for the charge with this reference. Null if the acquirer has no status inquiry, in which
   * case only a notification can report a lost outcome.
   */
  readonly inquire: ((request: SentChargeRequest) => Promise<InquiryOutcome>) | null;
  /**
   * Reverses the charge with this reference. Returns `reversed` only if the charge holds no money and never will, even
   * if its authorization request arrives later.
   */
  reverse(request: SentChargeRequest): Promise<ReversalOutcome>;
  /** Captures, voids or refunds an approved authorization. A repeated call with the same reference is executed once. */
  operate(request: OperationRequest): Promise<OperationOutcome>;
  /**
   * Sends a status inquiry for a capture, void or refund. Null if the acquirer has no status inquiry for operations.
   */
  readonly inquireOperation:
    | ((request: OperationRequest) => Promise<OperationOutcome | { kind: "not_found" }>)
    | null;
  /**
   * Submits the merchant's response to a dispute. A repeated submission has no further effect, but the acquirer may
   * reject it.
   */
  respondToDispute(response: DisputeResponse): Promise<DisputeResponseOutcome>;
  /** Returns the limits for the evidence in a dispute or an inquiry. */
  evidenceLimits(isInquiry: boolean): DocumentLimits;
  /**
   * Pays out to the merchant's bank account. A repeated call does not pay again and returns the payout's current state.
   * Null if the acquirer pays merchants without a request.
   */
  readonly payOut: ((request: PayoutRequest) => Promise<PayoutResponse>) | null;
  /**
   * Returns a merchant's settlement file for one day. For the current day it contains all lines posted so far. Null if
   * the acquirer instead announces each file with a notification.
   */
  readonly settlementFile: ((request: SettlementRequest) => Promise<SettlementResponse>) | null;
};

/** An acquirer that returns settlement files on request. */
export type SettlementSource = {
  readonly name: ProcessorName;
  /** The time within which a transaction must appear in the files. Until then it counts as in transit. */
  readonly settlesWithinMs: number;
  settlementFile(request: SettlementRequest): Promise<SettlementResponse>;
};

/** The cardholder's return from the acquirer's page. */
export type ResumeRequest = {
  readonly account: AccountId;
  /** The charge or the card verification that the acquirer redirected. */
  readonly reference: AttemptId;
  /** The amount is zero for a card verification. */
  readonly price: Money;
  readonly network: CardNetwork | null;
  /** The value that the acquirer's page added to the return URL. Empty if the cardholder has not returned. */
  readonly redirectResult: string;
  /** The acquirer's data of the `requires_action` outcome. */
  readonly resume: string | null;
};

export type PayoutRequest = {
  readonly account: AccountId;
  readonly reference: PayoutId;
  readonly price: Money;
};

export type SettlementRequest = {
  readonly account: AccountId;
  /** A UTC day, for example `2026-01-31`. */
  readonly day: string;
};

export type SettlementResponse =
  /** The file in the format of `settlement-file.ts`. It is streamed, because a day can have a million lines. */
  | { readonly kind: "file"; readonly text: AsyncIterable<string> }
  | { readonly kind: "not_ready" }
  | UnknownOutcome;

export type PayoutResponse =
  | { readonly kind: "in_transit"; readonly arrivesAt: Date }
  | { readonly kind: "paid" }
  /** The bank returned the transfer. */
  | { readonly kind: "failed" }
  | UnknownOutcome;

/**
 * The time that a merchant has to respond to a dispute, if the acquirer states no deadline. Card networks allow between
 * 7 and 45 days.
 */
export const evidenceWindowMs = 14 * 24 * 60 * 60 * 1000;

/** The network's notification that a dispute was opened or decided. It can arrive more than once. */
export type DisputeNotification = {
  readonly account: AccountId;
  readonly livemode: boolean;
  /** The network's case number, a UUID. */
  readonly networkCase: string;
  /** The acquirer's own identifier of the case. Absent or null if the acquirer uses the case number. */
  readonly acquirerReference?: string | null;
  readonly charge: ChargeId;
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  /** The disputed amount. Null means the remaining amount of the charge. */
  readonly amountMinor: number | null;
  /** The deadline for evidence. If absent or null, the default period applies. */
  readonly evidenceDueAt?: Date | null;
  readonly state: "open" | "won" | "lost";
};

export type DisputeResponse = {
  readonly account: AccountId;
  readonly networkCase: string;
  /** The acquirer's own identifier of the case. Null if the acquirer uses the case number. */
  readonly acquirerReference: string | null;
  readonly charge: ChargeId;
  readonly price: Money;
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  readonly answer: DisputeAnswer;
};

export type DisputeAnswer =
  | {
      readonly kind: "evidence";
      readonly evidence: EvidenceTexts;
      readonly files: readonly EvidenceFile[];
    }
  | { readonly kind: "accepted" }
  /** The charge was fully refunded, so there is nothing left to dispute. The inquiry must not be accepted as a loss. */
  | { readonly kind: "refunded" };

/** A file that the merchant uploaded as evidence. */
export type EvidenceFile = {
  readonly name: string;
  readonly mediaType: DocumentMediaType;
  /** The number of pages that the file adds to the evidence. */
  readonly pages: number;
  readonly content: Buffer;
};

/** The limits of an acquirer for the document that contains the evidence. */
export type DocumentLimits = { readonly maxPages: number; readonly maxBytes: number };

export type DisputeResponseOutcome =
  | { readonly kind: "received" }
  /** The acquirer did not accept the response. The problem is shown to the merchant. */
  | { readonly kind: "rejected"; readonly problem: string }
  /** The response was certainly not submitted, and can be sent again. */
  | { readonly kind: "not_sent" }
  | UnknownOutcome;

export type OperationKind = "capture" | "void" | "refund";

export type OperationInquiry = {
  readonly account: AccountId;
  /** Our operation ID, by which the acquirer deduplicates requests. */
  readonly reference: OperationId;
};

export type OperationRequest = OperationInquiry & {
  readonly kind: OperationKind;
  /** The reference of the approved authorization. */
  readonly charge: ChargeId;
  /** The acquirer's identifier of the payment. Null if the acquirer identifies the payment by our reference. */
  readonly chargeReference: string | null;
  readonly price: Money;
};

/** The acquirer's notification of an operation's outcome, or of the late failure of a completed operation. */
export type OperationNotification = OperationInquiry & {
  readonly livemode: boolean;
  readonly response: OperationOutcome;
};

/** The names of the live acquirers. Each has a connector in `connectors.ts`. */
export const liveProcessorNames = processorNames;
export type LiveProcessorName = (typeof liveProcessorNames)[number];

export function isLiveProcessor(name: string): name is LiveProcessorName {
  return (liveProcessorNames as readonly string[]).includes(name);
}

/** The name of an acquirer. Test mode uses `simulator`. */
export type ProcessorName = "simulator" | LiveProcessorName;

/** The network's data on a card, which the risk decision uses in addition to our history. */
export type CardTraits = {
  /** `required`: the issuer declines payments with this card without 3-D Secure. */
  readonly authentication: "required" | "optional";
  /** The network's risk rating. A `blocked` card must not be charged. */
  readonly risk: "normal" | "elevated" | "highest" | "blocked";
};

export type ReferenceRequest = {
  readonly account: AccountId;
  readonly reference: ChargeId;
};

/** A request about a charge whose authorization was sent earlier. */
export type SentChargeRequest = ReferenceRequest & {
  /** The acquirer's identifier of the payment, if a response or a notification has returned it. */
  readonly acquirerReference: string | null;
  /**
   * A part of the idempotency key of a cancellation or reversal. A request that is repeated after a crash has the same
   * value, and a new attempt has a different value.
   */
  readonly attempt: string;
  /**
   * Identifies a series of reversal requests that refer to the payment by `acquirerReference`. All requests with the
   * same value repeat one reversal. The value changes when an operator restarts the inquiries. The reversal of a late
   * approval has a value of its own.
   */
  readonly series: string;
  /** The terms with which the authorization was sent. */
  readonly price: Money;
  readonly capture: boolean;
  readonly statementDescriptor: string | null;
};

export type AuthorizeRequest = ReferenceRequest & {
  readonly price: Money;
  readonly card: CardCredentials;
  /** True to capture with the authorization, false to capture later. */
  readonly capture: boolean;
  /** The 3-D Secure result. Null if the payment was not authenticated. */
  readonly authentication: AuthenticationData | null;
  /** The network that the cardholder chose for a co-badged card. If absent or null, the acquirer chooses. */
  readonly network?: CardNetwork | null;
  /** The use of the card. Defaults to `once`. */
  readonly use?: CredentialUse;
  /** The person who pays. Unknown fields are null. The issuer uses the data to assess the payment. */
  readonly payer?: Payer;
  /** The merchant's text for the bank statement. Absent or null uses the acquirer's setting. */
  readonly statementDescriptor?: string | null;
  /**
   * Lets the acquirer redirect the cardholder to authenticate. Absent or null if no cardholder is present, or if the
   * payment was authenticated elsewhere.
   */
  readonly redirect?: RedirectPermission | null;
};

/**
 * A payment with a wallet's token. The card form accepts only tokens of customers whom the device has authenticated, so
 * the request has no 3-D Secure. The token can be charged only once, so it is not stored.
 */
export type GatewayTokenRequest = Pick<
  AuthorizeRequest,
  "account" | "reference" | "price" | "capture" | "payer" | "statementDescriptor"
> & {
  readonly wallet: DigitalWallet;
  readonly token: GatewayToken;
};

export type VerifyCardRequest = Omit<AuthorizeRequest, "price" | "capture" | "reference"> & {
  readonly reference: VerificationId;
  readonly currency: Money["currency"];
};

export type RedirectPermission = {
  /** The page to which the cardholder returns. */
  readonly returnUrl: string;
  /** True if the payment must be authenticated, false if the acquirer decides. */
  readonly required: boolean;
};

/** The person who pays. Null means unknown. */
export type Payer = {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly ip: string | null;
  readonly address: PayerAddress | null;
  /** Null unless every field is known, because acquirers reject incomplete browser data. */
  readonly browser: PayerBrowser | null;
};

/** A payer of whom nothing is known. */
export const unknownPayer: Payer = {
  name: null,
  email: null,
  phone: null,
  ip: null,
  address: null,
  browser: null,
};

export type PayerAddress = {
  readonly line1: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
};

export type PayerBrowser = {
  readonly acceptHeader: string;
  readonly colorDepth: number;
  readonly javaEnabled: boolean;
  readonly language: string;
  readonly screenHeight: number;
  readonly screenWidth: number;
  readonly timeZoneOffset: number;
  readonly userAgent: string;
};

/**
 * The way a payment uses the card. Visa's and Mastercard's stored-credential rules require this information for every
 * saved card. The issuer approves a merchant-initiated payment only if it refers to an earlier payment with the
 * cardholder present.
 */
export type CredentialUse =
  | { readonly kind: "once" }
  /** The cardholder is present and has consented to the storage of the card. */
  | { readonly kind: "to_be_saved" }
  | {
      readonly kind: "saved";
      /** `merchant` if the cardholder is absent. */
      readonly initiatedBy: "customer" | "merchant";
      /** The network transaction ID of the payment that saved the card. */
      readonly networkTransactionId: string | null;
    };

/** The 3-D Secure fields of an authorization, which determine the liability shift. */
export type AuthenticationData = {
  /** The version of the 3-D Secure protocol. */
  readonly version: string;
  /** Y: authenticated. A: attempted. I: informational, an exemption that the merchant claims. */
  readonly transStatus: "Y" | "A" | "I";
  readonly eci: string | null;
  /** The issuer's cryptogram, 20 bytes in base64. Null if `transStatus` is I. */
  readonly authenticationValue: string | null;
  readonly dsTransactionId: string;
};

export type InquiryOutcome = AuthorizationOutcome | { readonly kind: "not_found" };

export type ReversalOutcome =
  | { readonly kind: "reversed" }
  /** The acquirer has accepted the request and reports the result in a notification. */
  | { readonly kind: "pending" }
  | UnknownOutcome;

/**
 * The acquirer's notification of a charge's outcome. It can arrive twice, out of order, or before the response to the
 * request.
 */
export type ChargeNotification = ReferenceRequest & {
  readonly livemode: boolean;
  readonly response: AuthorizationOutcome;
};
