import type { ShownProblem } from "../field-problems.ts";

/**
 * The texts of the card form. A language is one object of this type, so that a missing text does not compile. Texts
 * with parameters are functions, because the word order differs. Lists, amounts and times arrive formatted.
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
  /** The label of the choice between the two networks of a co-badged card. */
  network: string;
  /** The choice between the customer's saved cards, and the option to use another one. */
  savedCards: string;
  anotherCard: string;
  expires: (date: string) => string;
  /** The customer's consent to save the card. Never preselected. */
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
  /** The challenge's close button, the question before closing, and its two buttons. */
  close: string;
  leaveConfirmation: string;
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

/** The sentences that explain all decline codes. */
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
