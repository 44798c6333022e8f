import type { DeclineCode } from "@florin/contract/declines.ts";
import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { AccountId, ChargeId, OperationId, PayoutId } from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { CardCredentials } from "../vault/card-number.ts";

/**
 * The port to the card world. The simulator and every live acquirer speak it, so that the path of a charge
 * is the same in test and in live mode.
 *
 * Every method is idempotent by `reference`, which is our own charge id: asking twice moves money once.
 * No method throws for anything the outside world does; what could not be learnt is `unknown`.
 */
export type Processor = {
  readonly name: ProcessorName;
  /** What the network knows of a card before it is charged: a look-up in its tables, no call. */
  lookUp(card: CardCredentials, price: Money, use: CredentialUse): CardTraits;
  authorize(request: AuthorizeRequest): Promise<ProcessorAnswer>;
  /** What became of the operation with this reference. */
  inquire(request: ReferenceRequest): Promise<InquiryAnswer>;
  /** Undoes whatever this reference did and forbids it for all time, also when it has not arrived yet. */
  reverse(request: ReferenceRequest): Promise<ReversalAnswer>;
  /** Captures, releases or gives back what was approved. Asked again under the same reference it is done once. */
  operate(request: OperationRequest): Promise<OperationAnswer>;
  /** Tells the network what the merchant says of a case. Told twice, it is the same answer. */
  answerDispute(answer: DisputeAnswer): Promise<{ kind: "received" } | Unanswered>;
  /** Pays out to a merchant's bank account, once; asked again it says what has become of it. */
  payOut(request: PayoutRequest): Promise<PayoutAnswer>;
  /** What was settled for a merchant on one day; of a day that is not over, what has been settled by now. */
  settlementFile(request: SettlementRequest): Promise<SettlementAnswer>;
  /** What became of such an operation. */
  inquireOperation(request: OperationInquiry): Promise<OperationAnswer | { kind: "not_found" }>;
};

export type PayoutRequest = {
  readonly account: AccountId;
  readonly reference: PayoutId;
  readonly price: Money;
};

export type SettlementRequest = {
  readonly account: AccountId;
  /** The day in UTC, as `2026-01-31`. */
  readonly day: string;
};

export type SettlementAnswer =
  /** As it is in `settlement-file.ts`, piece by piece: a day may have a million lines. */
  | { readonly kind: "file"; readonly text: AsyncIterable<string> }
  | { readonly kind: "not_ready" }
  | Unanswered;

export type PayoutAnswer =
  | { readonly kind: "in_transit"; readonly arrivesAt: Date }
  | { readonly kind: "paid" }
  /** The bank sent it back. */
  | { readonly kind: "failed" }
  | Unanswered;

/** How long a merchant has to answer a case; card networks give from seven days to forty-five. */
export const evidenceWindowMs = 14 * 24 * 60 * 60 * 1000;

/** A case that the card network has opened, or decided. It may be told twice. */
export type DisputeNotice = {
  readonly account: AccountId;
  readonly livemode: boolean;
  /** The network's number of the case, a uuid. */
  readonly networkCase: string;
  readonly charge: ChargeId;
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  /** Null: all that is left of the charge. */
  readonly amountMinor: number | null;
  readonly state: "open" | "won" | "lost";
};

/** What the merchant answers: its evidence, in words, or null when it gives in. */
export type DisputeAnswer = {
  readonly account: AccountId;
  readonly networkCase: string;
  readonly evidence: string | null;
};

export type OperationKind = "capture" | "void" | "refund";

export type OperationInquiry = {
  readonly account: AccountId;
  /** Our own operation's id, by which it is done once. */
  readonly reference: OperationId;
};

export type OperationRequest = OperationInquiry & {
  readonly kind: OperationKind;
  /** The approval it is about, by the reference that was approved. */
  readonly charge: ChargeId;
  readonly price: Money;
};

export type OperationAnswer =
  | { readonly kind: "done" }
  /** The acquirer will not do it, now or ever, under this reference. */
  | { readonly kind: "refused"; readonly declineCode: DeclineCode }
  | { readonly kind: "pending" }
  /** Nothing was learnt, or the request never left: it is asked again under the same reference either way. */
  | { readonly kind: "unknown"; readonly why: Unlearnt };

export type Unanswered = { readonly kind: "unknown"; readonly why: Unlearnt };

export type Unlearnt = "timeout" | "invalid_response" | "connection_lost";

/** An acquirer's word on an operation, unasked; also that one it had called done has failed after all. */
export type OperationNotice = OperationInquiry & {
  readonly livemode: boolean;
  readonly answer: OperationAnswer;
};

/** `simulator` in test mode, always and only; a live acquirer's name in live mode. */
export type ProcessorName = "simulator";

/** What a decision is made from, besides our own history. */
export type CardTraits = {
  /** `required`: the issuer declines a payment of this card without 3-D Secure. */
  readonly authentication: "required" | "optional";
  /** What the network thinks of it; `blocked`: it is not to be tried at all. */
  readonly risk: "normal" | "elevated" | "highest" | "blocked";
};

export type ReferenceRequest = {
  readonly account: AccountId;
  readonly reference: ChargeId;
};

export type AuthorizeRequest = ReferenceRequest & {
  readonly price: Money;
  readonly card: CardCredentials;
  /** True when the money is to be taken at once, false for an authorisation to be captured later. */
  readonly capture: boolean;
  /** What 3-D Secure came to, for the networks' fields; null where it was not done. */
  readonly authentication: AuthenticationProof | null;
  /** Which of a co-badged card's networks its holder chose; absent or null: the acquirer's own order. */
  readonly network?: CardNetwork | null;
  /** Absent: the card is used once. */
  readonly use?: CredentialUse;
};

/**
 * How a payment uses the card, which networks want to be told of every card that is kept (Visa's and Mastercard's
 * stored-credential rules): an absent holder's bank lets through only what refers to a payment they were present for.
 */
export type CredentialUse =
  | { readonly kind: "once" }
  /** Its holder is present and has agreed that it be kept. */
  | { readonly kind: "to_be_saved" }
  | {
      readonly kind: "saved";
      /** `merchant`: the holder is absent. */
      readonly initiatedBy: "customer" | "merchant";
      /** What the network called the payment that saved it. */
      readonly networkTransactionId: string | null;
    };

/** What goes along with an authorisation so that the network knows who bears the loss. */
export type AuthenticationProof = {
  /** The protocol's version. */
  readonly version: string;
  /** Y authenticated, A attempted, I for information only: an exemption that the merchant claims. */
  readonly transStatus: "Y" | "A" | "I";
  readonly eci: string | null;
  /** The bank's cryptogram, 20 bytes in base64; null with I. */
  readonly authenticationValue: string | null;
  readonly dsTransactionId: string;
};

export type CheckResult = "pass" | "fail" | "unavailable" | "unchecked";
export type CardChecks = {
  readonly cvcCheck: CheckResult | null;
  readonly addressLine1Check: CheckResult | null;
  readonly addressPostalCodeCheck: CheckResult | null;
};

export type ProcessorAnswer =
  | {
      readonly kind: "approved";
      readonly approvedMinor: number;
      readonly checks: CardChecks;
      /** The network's own name for this payment, to refer to in later ones with a saved card. */
      readonly networkTransactionId: string | null;
    }
  | {
      readonly kind: "declined";
      readonly declineCode: DeclineCode;
      /** The ISO 8583 field 39 value or the network's own word for it, where the acquirer told it. */
      readonly networkDeclineCode: string | null;
      readonly checks: CardChecks;
    }
  /** The acquirer has the request and will decide later; an inquiry or a notice tells. */
  | { readonly kind: "pending" }
  /** The request provably never left: name not found, connection refused, TLS failed before writing. */
  | { readonly kind: "not_sent" }
  /** Anything else after the first byte: the money may have moved. */
  | { readonly kind: "unknown"; readonly why: Unlearnt };

export type InquiryAnswer = ProcessorAnswer | { readonly kind: "not_found" };

export type ReversalAnswer =
  | { readonly kind: "reversed" }
  | { readonly kind: "unknown"; readonly why: Unlearnt };

/** An acquirer's notice, which may come twice, out of order, or before the answer it tells of. */
export type ProcessorNotice = ReferenceRequest & {
  readonly livemode: boolean;
  readonly answer: ProcessorAnswer;
};
