/**
 * The state that a merchant is entitled to find: a service without network, database or clock, small enough to verify
 * by reading. Every step changes it as documented, and at the end the real service must agree with it.
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
  /** The emitted events, as `type object`, in no order. */
  readonly events: string[];
  /** The effect of every movement on the balance. */
  readonly movements: { readonly what: string; readonly net: number }[];
};

/**
 * The possible outcomes of an object in progress, and their effects on the model. The name of an outcome is the status
 * that the API then returns.
 */
export type Ends = Readonly<Record<string, () => void>>;

export type ModelCharge = {
  readonly id: string;
  readonly amount: number;
  status: "processing" | "requires_action" | "authorized" | "succeeded" | "failed" | "canceled";
  declineCode: string | null;
  /** True if the merchant captures manually. */
  readonly manual: boolean;
  review: "open" | "approved" | "declined" | null;
  /** True if it was approved and held. */
  wasHeld: boolean;
  readonly sequel: "refund_is_pending" | "refund_fails_late" | null;
  captured: number;
  refunded: number;
  disputed: number;
  /** Seconds on the test clock since the authorization, or since the capture. */
  age: number;
  readonly session: ModelSession | null;
  /** The merchant's own decision that it used. Null for the service's own, whose id is derived from the charge's. */
  readonly decision: string | null;
  /** The challenge URL of its cardholder. */
  challengeUrl: string | null;
  open: Ends | null;
};

export type ModelRefund = {
  readonly id: string;
  readonly charge: ModelCharge;
  readonly amount: number;
  status: "pending" | "succeeded" | "failed";
  open: Ends | null;
};

export type ModelDispute = {
  readonly id: string;
  readonly charge: ModelCharge;
  amount: number;
  status: "needs_response" | "under_review" | "won" | "lost";
  isInquiry: boolean;
  age: number;
  open: Ends | null;
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
  open: Ends | null;
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
  /** True if its half hour is over. */
  expired: boolean;
};

export type Outcome = "approve" | "challenge" | "review" | "decline";

export type ModelSavedCard = { readonly id: string; detached: boolean };

export type ModelPayout = {
  readonly id: string;
  readonly amount: number;
  status: string;
  open: Ends | null;
};

export type ModelRule = { readonly id: string; readonly above: number; readonly outcome: Outcome };

/** Every object that may be in progress. */
export type Open = ModelCharge | ModelRefund | ModelDispute | ModelSession | ModelPayout;

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

export function everything(model: Model): Open[] {
  const { charges, refunds, disputes, sessions, payouts } = model;
  return [...charges, ...refunds, ...disputes, ...sessions, ...payouts];
}

export function leftOf({ captured, refunded, disputed }: ModelCharge): number {
  return captured - refunded - disputed;
}

/** Returns the fee of the test merchants: 2.9 % and 30, rounded half up. */
export function feeOf(amount: number): number {
  return Math.min(amount, Math.floor((amount * 290 + 5_000) / 10_000) + 30);
}

export const disputeFee = 1_500;

export function announce(model: Model, type: string, object: string): void {
  model.events.push(`${type} ${object}`);
}

/** Returns the id of the decision on a charge. */
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
    announce(model, "payment.authorized", id);
    if (charge.review) announce(model, "decision.review_opened", decisionOf(charge));
  } else {
    charge.status = "succeeded";
    charge.captured = amount;
    model.movements.push({ what: id, net: amount - feeOf(amount) });
    announce(model, "payment.succeeded", id);
  }
  if (!session) return;
  session.status = "complete";
  session.paymentStatus = charge.status === "succeeded" ? "paid" : "authorized";
  announce(model, "checkout_session.completed", session.id);
}

/** Applies a failure. `declineCode` null means any reason. */
export function fail(model: Model, charge: ModelCharge, declineCode: string | null): void {
  charge.status = "failed";
  charge.declineCode = declineCode;
  charge.challengeUrl = null;
  announce(model, "payment_failed", charge.id);
  const { session } = charge;
  if (session) session.status = session.attempts < session.maxAttempts ? "open" : "failed";
}

export function capture(model: Model, charge: ModelCharge, amount: number): void {
  charge.status = "succeeded";
  charge.captured = amount;
  charge.age = 0;
  // A manual capture approves an open review. An existing decision stays.
  if (charge.review === "open") charge.review = "approved";
  if (charge.session) charge.session.paymentStatus = "paid";
  model.movements.push({ what: charge.id, net: amount - feeOf(amount) });
  announce(model, "payment.captured", charge.id);
  announce(model, "payment.succeeded", charge.id);
}

export function cancel(model: Model, charge: ModelCharge): void {
  charge.status = "canceled";
  if (charge.session) charge.session.paymentStatus = "unpaid";
  if (charge.review === "open") charge.review = "declined";
  announce(model, "payment.canceled", charge.id);
}

/** Returns the result of the merchant's rules and lists, and of the card. */
export function assess(
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

/** The cards for payments. Half of the entries are the ordinary card. */
export const cards: readonly TestCard[] = [...unusual.map(() => visa), ...unusual];
