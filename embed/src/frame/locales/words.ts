import type { ShownProblem } from "../field-problems.ts";

/**
 * What the card form says. A language is one object of this type, so that a missing sentence does not compile. Sentences
 * that take something are functions, because languages put it in different places; lists, amounts and times come formatted.
 */
export type Words = {
  payTo: (merchant: string) => string;
  heading: string;
  number: string;
  expiry: string;
  expiryHint: string;
  cvc: string;
  cvcHint: string;
  /** American Express prints its code on the front. */
  cvcHintFront: string;
  name: string;
  nameHint: string;
  postalCode: string;
  /** Which of the two networks of a co-badged card the customer wants. */
  network: string;
  /** The cards that the customer keeps with the merchant, as choices, and the one beside them. */
  savedCards: string;
  anotherCard: string;
  expires: (date: string) => string;
  /** The customer's consent to keep the card: never given for them. */
  save: (merchant: string) => string;
  pay: (amount: string) => string;
  paying: string;
  trust: (merchant: string) => string;
  back: (merchant: string) => string;
  continue: (merchant: string) => string;
  order: string;
  total: string;
  testMode: string;
  testCards: string;
  fieldsToMend: (labels: string) => string;
  declinedTitle: string;
  lastTry: string;
  cardRefusedTitle: string;
  refusedTitle: string;
  refused: string;
  unansweredTitle: string;
  unanswered: string;
  processingTitle: string;
  processing: string;
  actionTitle: string;
  action: string;
  actionContinue: string;
  actionUnavailable: string;
  /** Around the bank's check: the button that closes it, the question before that, and its two answers. */
  close: string;
  leaveQuestion: string;
  stay: string;
  leave: string;
  completeTitle: string;
  complete: (amount: string, merchant: string) => string;
  authorizedTitle: string;
  authorized: (amount: string, merchant: string) => string;
  goingBack: (merchant: string) => string;
  expiredTitle: string;
  expired: string;
  canceledTitle: string;
  canceled: string;
  failedTitle: string;
  failed: string;
  missingTitle: string;
  missing: string;
  expiresIn: (time: string) => string;
  problems: Readonly<Record<ShownProblem, string>>;
  declines: Readonly<Record<DeclineSentence, string>>;
};

/** The sentences that all decline codes are told in. */
export type DeclineSentence =
  | "generic"
  | "funds"
  | "expired"
  | "cvc"
  | "number"
  | "expiry"
  | "postalCode"
  | "limit"
  | "tooOften"
  | "later"
  | "purchase"
  | "currency"
  | "authRequired"
  | "authFailed"
  | "authCanceled"
  | "authTimedOut"
  | "testCards";
