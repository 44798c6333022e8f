import type { CheckoutMode } from "@florin/contract/checkout-session.ts";
import type { customerMessages } from "@florin/contract/customer-messages.ts";
import type { ShownProblem } from "../field-problems.ts";

/**
 * The texts of the card form. Each language is one object of this type, so that a missing text is a compile error.
 * Texts with parameters are functions, because word order differs between languages. Lists, amounts and times are
 * formatted by the caller.
 */
export type Words = {
  payTo: (merchant: string) => string;
  heading: string;
  number: string;
  expiry: string;
  expiryHint: string;
  cvc: string;
  cvcHint: string;
  /** The hint for American Express, which prints the code on the front. */
  cvcHintFront: string;
  name: string;
  nameHint: string;
  postalCode: string;
  /** The label of the choice between the two networks of a co-badged card. */
  network: string;
  /** The heading of the list of saved cards, and the option to use another card. */
  savedCards: string;
  anotherCard: string;
  expires: (date: string) => string;
  /** The label of the consent to save the card, which is never preselected. */
  save: (merchant: string) => string;
  pay: (amount: string) => string;
  paying: string;
  /** `waiting` is shown after four seconds without an outcome. `keepOpen` is added after ten seconds. */
  waiting: string;
  keepOpen: string;
  /** Shown while the browser has no connection and a payment has no outcome. */
  offline: string;
  trust: (merchant: string) => string;
  /** Precedes the email address and telephone number of the merchant's support. */
  support: string;
  back: (merchant: string) => string;
  continue: (merchant: string) => string;
  order: string;
  total: string;
  testMode: string;
  testCards: string;
  /** The name of test mode's wallet, and the text between its button and the fields of the card. */
  testWallet: string;
  orCard: string;
  /** The accessible name of a wallet's button, and the failure of its sheet. `wallet` is a brand. */
  payWith: (wallet: string) => string;
  walletFailedTitle: (wallet: string) => string;
  walletFailed: string;
  /** The badge of a live payment that is sent to the acquirer's sandbox, and the sentence beside it. */
  sandbox: string;
  sandboxNote: string;
  fieldsToCorrect: (labels: string) => string;
  declinedTitle: string;
  /** The title if the customer canceled the 3-D Secure challenge. */
  authCanceledTitle: string;
  lastTry: string;
  cardRejectedTitle: string;
  rejectedTitle: string;
  rejected: string;
  noResponseTitle: string;
  noResponse: string;
  processingTitle: string;
  processing: string;
  actionTitle: string;
  action: string;
  actionContinue: string;
  actionUnavailable: string;
  /** The close button of the challenge, the confirmation before closing, and its two buttons. */
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
  /** The texts that replace those of a payment in a session of mode `setup`. */
  setup: SetupWords;
  problems: Readonly<Record<ShownProblem, string>>;
  declines: Readonly<Record<DeclineSentence, string>>;
};

/** The texts of a session that only saves a card. None of them may mention a payment in progress. */
export type SetupWords = Pick<
  Words,
  | "payTo"
  | "heading"
  | "pay"
  | "paying"
  | "offline"
  | "support"
  | "declinedTitle"
  | "rejectedTitle"
  | "rejected"
  | "noResponse"
  | "processingTitle"
  | "processing"
  | "action"
  | "leaveConfirmation"
  | "stay"
  | "leave"
  | "completeTitle"
  | "complete"
  | "authorizedTitle"
  | "expiredTitle"
  | "expired"
  | "failedTitle"
  | "failed"
> & {
  /** The consent that the customer gives with the button. It must state that the merchant may charge the card later. */
  consent: (merchant: string) => string;
};

/** Returns the texts for a session of this mode. */
export function wordsOf(words: Words, mode: CheckoutMode): Words {
  return mode === "setup" ? { ...words, ...words.setup } : words;
}

/** The keys of the sentences that explain declines. Several decline codes share a sentence. */
export type DeclineSentence = keyof typeof customerMessages;
