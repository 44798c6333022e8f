/**
 * A model of the service without network, database or clock, small enough to verify by reading. Every step applies its
 * documented effect to the model. After the last step, the real service must have the same state.
 */
export type Model = {
  readonly charges: ModelCharge[];
  readonly refunds: ModelRefund[];
  readonly disputes: ModelDispute[];
  readonly sessions: ModelSession[];
  readonly decisions: ModelDecision[];
  readonly savedCards: ModelSavedCard[];
  readonly payouts: ModelPayout[];
  readonly rules: ModelRule[];
  readonly blocks: { readonly id: string }[];
  /** The emitted events as `<type> <object ID>`, unordered. */
  readonly events: string[];
  /** The changes to the balance. */
  readonly movements: { readonly what: string; readonly net: number }[];
};

/**
 * The possible outcomes of an object in progress, by the status that the API then returns. Each function applies the
 * outcome to the model.
 */
export type Outcomes = Readonly<Record<string, () => void>>;

export type ModelCharge = {
  readonly id: string;
  readonly amount: number;
  status: "processing" | "requires_action" | "authorized" | "succeeded" | "failed" | "canceled";
  declineCode: string | null;
  /** True if the merchant captures manually. */
  readonly manual: boolean;
  review: "open" | "approved" | "declined" | null;
  /** True if the acquirer approved the charge without a capture. */
  wasHeld: boolean;
  readonly sequel: "refund_is_pending" | "refund_fails_late" | null;
  captured: number;
  refunded: number;
  disputed: number;
  /** The seconds on the test clock since the authorization or, after a capture, since the capture. */
  age: number;
  readonly session: ModelSession | null;
  /**
   * The decision that the merchant requested and used for the charge. Null if the service made the decision, whose ID
   * is derived from the charge's ID.
   */
  readonly decision: string | null;
  /** The challenge URL for the cardholder. */
  challengeUrl: string | null;
  outcomes: Outcomes | null;
};

export type ModelRefund = {
  readonly id: string;
  readonly charge: ModelCharge;
  readonly amount: number;
  status: "pending" | "succeeded" | "failed";
  outcomes: Outcomes | null;
};

export type ModelDispute = {
  readonly id: string;
  readonly charge: ModelCharge;
  amount: number;
  status: "needs_response" | "under_review" | "won" | "lost";
  isInquiry: boolean;
  age: number;
  outcomes: Outcomes | null;
};

export type ModelSession = {
  readonly id: string;
  readonly secret: string;
  readonly amount: number;
  readonly manual: boolean;
  readonly maxAttempts: number;
  status: string;
  paymentStatus: "unpaid" | "authorized" | "paid";
  attempts: number;
  charge: ModelCharge | null;
  age: number;
  outcomes: Outcomes | null;
};

export type ModelDecision = {
  readonly id: string;
  readonly amount: number;
  readonly method: string;
  readonly outcome: Outcome;
  /** True if the evaluation required 3-D Secure. */
  readonly authenticates: boolean;
  review: "open" | "approved" | "declined" | null;
  charge: string | null;
  /** True after the clock has advanced, because a decision expires after half an hour. */
  expired: boolean;
};

export type Outcome = "approve" | "challenge" | "review" | "decline";

export type ModelSavedCard = { readonly id: string; detached: boolean };

export type ModelPayout = {
  readonly id: string;
  readonly amount: number;
  status: string;
  outcomes: Outcomes | null;
};

export type ModelRule = { readonly id: string; readonly above: number; readonly outcome: Outcome };

/** The objects whose outcome may be unknown. */
export type InProgress = ModelCharge | ModelRefund | ModelDispute | ModelSession | ModelPayout;

export function createModel(): Model {
  return {
    charges: [],
    refunds: [],
    disputes: [],
    sessions: [],
    decisions: [],
    savedCards: [],
    payouts: [],
    rules: [],
    blocks: [],
    events: [],
    movements: [],
  };
}

export function objectsInProgress(model: Model): InProgress[] {
  const { charges, refunds, disputes, sessions, payouts } = model;
  return [...charges, ...refunds, ...disputes, ...sessions, ...payouts];
}

export function leftOf({ captured, refunded, disputed }: ModelCharge): number {
  return captured - refunded - disputed;
}

/** Returns the fee of the test merchants: 2.9% plus 30, rounded half up, and at most the amount itself. */
export function feeOf(amount: number): number {
  return Math.min(amount, Math.floor((amount * 290 + 5_000) / 10_000) + 30);
}

export const disputeFee = 1_500;

export function emit(model: Model, type: string, object: string): void {
  model.events.push(`${type} ${object}`);
}

/** Returns the ID of the decision on a charge. */
export function decisionOf({ id, decision }: ModelCharge): string {
  return decision ?? `dec_${id.slice("ch_".length)}`;
}

/** Applies the acquirer's approval: the charge is captured or held. */
export function approve(model: Model, charge: ModelCharge): void {
  const { id, amount, session } = charge;
  charge.age = 0;
  charge.challengeUrl = null;
  if (charge.manual || charge.review) {
    charge.status = "authorized";
    charge.wasHeld = true;
    emit(model, "payment.authorized", id);
    if (charge.review) emit(model, "decision.review_opened", decisionOf(charge));
  } else {
    charge.status = "succeeded";
    charge.captured = amount;
    model.movements.push({ what: id, net: amount - feeOf(amount) });
    emit(model, "payment.succeeded", id);
  }
  if (!session) return;
  session.status = "complete";
  session.paymentStatus = charge.status === "succeeded" ? "paid" : "authorized";
  emit(model, "checkout_session.completed", session.id);
}

/** Applies a failure. If `declineCode` is null, any decline code is expected. */
export function fail(model: Model, charge: ModelCharge, declineCode: string | null): void {
  charge.status = "failed";
  charge.declineCode = declineCode;
  charge.challengeUrl = null;
  emit(model, "payment_failed", charge.id);
  const { session } = charge;
  if (session) session.status = session.attempts < session.maxAttempts ? "open" : "failed";
}

export function capture(model: Model, charge: ModelCharge, amount: number): void {
  charge.status = "succeeded";
  charge.captured = amount;
  charge.age = 0;
  // A manual capture approves an open review. It does not change a completed review.
  if (charge.review === "open") charge.review = "approved";
  if (charge.session) charge.session.paymentStatus = "paid";
  model.movements.push({ what: charge.id, net: amount - feeOf(amount) });
  emit(model, "payment.captured", charge.id);
  emit(model, "payment.succeeded", charge.id);
}

export function cancel(model: Model, charge: ModelCharge): void {
  charge.status = "canceled";
  if (charge.session) charge.session.paymentStatus = "unpaid";
  if (charge.review === "open") charge.review = "declined";
  emit(model, "payment.canceled", charge.id);
}

/** Returns the outcome of the merchant's rules, the block list and the card's risk. */
export function evaluateRisk(
  model: Model,
  card: TestCard,
  amount: number,
  absent = false,
): { readonly outcome: Outcome; readonly authenticates: boolean } {
  const matching = model.rules.filter(({ above }) => amount > above);
  const wanted = new Set(matching.map(({ outcome }) => outcome));
  const blocked = model.blocks.length > 0 && card.country === "US";
  const challenged = !absent && (card.authenticates === true || wanted.has("challenge"));
  const outcome = outcomeOf();
  return { outcome, authenticates: challenged && outcome !== "decline" };

  function outcomeOf(): Outcome {
    if (card.blocked) return "decline";
    if (!wanted.has("approve")) {
      if (blocked || wanted.has("decline")) return "decline";
      if (wanted.has("review") || card.elevated) return "review";
    }
    return challenged ? "challenge" : "approve";
  }
}

export type TestCard = {
  readonly method: string;
  readonly number: string;
  readonly country: string;
  readonly declines?: string;
  readonly blocked?: boolean;
  readonly elevated?: boolean;
  readonly authenticates?: boolean;
  readonly sequel?: ModelCharge["sequel"];
};

const visa: TestCard = { method: "pm_card_visa", number: "4242424242424242", country: "US" };

const unusual: readonly TestCard[] = [
  {
    ...visa,
    method: "pm_card_visa_chargeDeclinedInsufficientFunds",
    number: "4000000000009995",
    declines: "insufficient_funds",
  },
  {
    ...visa,
    method: "pm_card_visa_chargeDeclinedFraudulent",
    number: "4100000000000019",
    blocked: true,
  },
  { ...visa, method: "pm_card_riskLevelElevated", number: "4000000000009235", elevated: true },
  {
    method: "pm_card_authenticationRequired",
    number: "4000002760003184",
    country: "DE",
    authenticates: true,
  },
  {
    ...visa,
    method: "pm_card_pendingRefund",
    number: "4000000000007726",
    sequel: "refund_is_pending",
  },
  {
    ...visa,
    method: "pm_card_refundFail",
    number: "4000000000005126",
    sequel: "refund_fails_late",
  },
];

/** The cards for payments. Half of the entries are the card that always succeeds. */
export const cards: readonly TestCard[] = [...unusual.map(() => visa), ...unusual];
