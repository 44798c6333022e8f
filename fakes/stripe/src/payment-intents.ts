import { randomBytes, randomInt } from "node:crypto";
import { isLuhnValid } from "@florin/shared-fake/luhn.ts";
import {
  isNetworkTransactionId,
  newNetworkTransactionId,
} from "@florin/shared-fake/network-transaction-id.ts";
import { openDispute } from "./disputes.ts";
import { objectOf, type Params, textOf, textsOf } from "./form.ts";
import type { Platform } from "./platform.ts";
import type { Card, Charge, Intent, PaymentError, Refund, Token } from "./records.ts";
import { errorFields, renderCharge, renderIntent } from "./render.ts";
import type { Context } from "./request-context.ts";
import { invalid, missing, noSuch, StripeError, unexpectedState } from "./stripe-error.ts";
import { brandOf, testCardOf } from "./test-cards.ts";
import { usableToken } from "./tokens.ts";

/** The path of the page on which the cardholder authenticates. The token of the payment is appended. */
export const authenticationPath = "/3d_secure_2/hosted/";

/** Renders a payment. `expand[]=latest_charge` includes its charge. */
export function intentObject(
  { platform, account, params }: Pick<Context, "platform" | "account" | "params">,
  intent: Intent,
): object {
  const charge = platform.charges.get(intent.latestCharge ?? "") ?? null;
  const expands = Object.values(textsOf(objectOf(params, "expand"))).includes("latest_charge");
  const url = intent.redirect && `${platform.baseUrl}${authenticationPath}${intent.redirect.token}`;
  return renderIntent(intent, charge, account.livemode, expands, url);
}

export function findIntent({ platform, account }: Context, id: string): Intent {
  const intent = platform.intents.get(id);
  if (!intent || intent.account !== account.id) throw noSuch("payment_intent", id, "intent");
  return intent;
}

export function createIntent(context: Context): object {
  const { platform, account, params } = context;
  const removed = Object.keys(params).find((name) => name === "payment_method_types");
  if (removed !== undefined) {
    throw invalid(`Received unknown parameter: ${removed}`, removed, "parameter_unknown");
  }
  const amount = amountOf(params, "amount");
  const currency = textOf(params, "currency");
  if (amount === null) throw missing("amount");
  if (currency === null) throw missing("currency");
  const id = platform.newId("pi");
  const intent = platform.put<Intent>(platform.intents, {
    id,
    account: account.id,
    amount,
    currency: currency.toLowerCase(),
    captureMethod: textOf(params, "capture_method") === "manual" ? "manual" : "automatic",
    confirmationMethod: textOf(params, "confirmation_method") === "manual" ? "manual" : "automatic",
    metadata: textsOf(objectOf(params, "metadata")),
    statementDescriptorSuffix: descriptorOf(params),
    clientSecret: `${id}_secret_${randomBytes(12).toString("hex")}`,
    created: platform.nowSeconds(),
    status: "requires_payment_method",
    canceledAt: null,
    amountReceived: 0,
    lastPaymentError: null,
    card: null,
    isAuthenticated: false,
    redirect: null,
    latestCharge: null,
    offSession: false,
    setupFutureUsage: null,
    networkTransactionId: null,
  });
  emitIntent(context, "payment_intent.created", intent);
  return intentObject(context, intent);
}

/**
 * Returns the suffix of the statement descriptor. It has at most 22 characters and at least one letter
 * (docs.stripe.com/get-started/account/statement-descriptors).
 */
function descriptorOf(params: Params): string | null {
  const suffix = textOf(params, "statement_descriptor_suffix");
  if (suffix === null) return null;
  if (suffix.length > 22 || /[<>\\'"*]/.test(suffix) || !/[A-Za-z]/.test(suffix)) {
    throw invalid("The statement descriptor suffix is invalid.", "statement_descriptor_suffix");
  }
  return suffix;
}

/** Three-decimal currencies accept only amounts whose last digit is 0 (docs.stripe.com/currencies). */
const threeDecimals: ReadonlySet<string> = new Set(["bhd", "jod", "kwd", "omr", "tnd"]);

export function amountOf(params: Params, name: string): number | null {
  const text = textOf(params, name);
  if (text === null) return null;
  const amount = Number(text);
  const hasZero = !threeDecimals.has(textOf(params, "currency") ?? "") || amount % 10 === 0;
  if (Number.isSafeInteger(amount) && amount > 0 && hasZero) return amount;
  throw invalid(`Invalid positive integer: ${text}`, name, "parameter_invalid_integer");
}

/** Confirms a payment with the card in the request, or continues it after the cardholder's authentication. */
export function confirmIntent(context: Context, id: string): object {
  const { platform, params } = context;
  const known = findIntent(context, id);
  if (known.status !== "requires_payment_method" && known.status !== "requires_confirmation") {
    throw wrongState(context, known, "confirm");
  }
  const tokenId = textOf(objectOf(objectOf(params, "payment_method_data"), "card"), "token");
  const token = tokenId === null ? null : usableToken(context, tokenId);
  const typed = token?.card ?? cardOf(platform, params);
  if (typed instanceof StripeError) throw typed;
  const card = typed ?? known.card;
  if (card === null) throw missing("payment_method");
  const options = objectOf(objectOf(params, "payment_method_options"), "card");
  const exemption = objectOf(options, "mit_exemption");
  const earlier = textOf(exemption, "network_transaction_id");
  if (earlier !== null && !isNetworkTransactionId(earlier, card.brand === "mastercard")) {
    const param = "payment_method_options[card][mit_exemption][network_transaction_id]";
    throw invalid("Invalid network transaction ID.", param, "parameter_invalid");
  }
  if (token) platform.put<Token>(platform.tokens, { ...token, used: true });
  const intent = platform.put<Intent>(platform.intents, {
    ...known,
    card,
    lastPaymentError: null,
    offSession: textOf(params, "off_session") === "true",
    setupFutureUsage: textOf(params, "setup_future_usage") ?? known.setupFutureUsage,
    networkTransactionId: earlier ?? known.networkTransactionId,
  });
  const external = objectOf(options, "three_d_secure");
  if (external) requireExternalFields(external);
  if (needsAuthentication(context, intent, external)) return redirect(context, intent);
  return charge(context, intent, external);
}

/** Throws if the 3-D Secure result of another provider is incomplete. */
export function requireExternalFields(external: Params): void {
  for (const name of ["cryptogram", "transaction_id", "version"]) {
    if (textOf(external, name) === null) {
      throw missing(`payment_method_options[card][three_d_secure][${name}]`);
    }
  }
}

/**
 * Returns the card in the request, null if the request contains no card, or the error with which to reject the request.
 */
export function cardOf(platform: Platform, params: Params): Card | StripeError | null {
  const data = objectOf(params, "payment_method_data");
  if (data === null) return null;
  const card = objectOf(data, "card");
  const number = textOf(card, "number");
  if (textOf(data, "type") !== "card" || number === null) {
    return missing("payment_method_data[card][number]");
  }
  const expMonth = Number(textOf(card, "exp_month"));
  const expYear = Number(textOf(card, "exp_year"));
  if (!/^\d{12,19}$/.test(number) || !isLuhnValid(number))
    return badCard("incorrect_number", "number");
  if (!(expMonth >= 1 && expMonth <= 12)) return badCard("invalid_expiry_month", "exp_month");
  const now = new Date(platform.clock.nowMs());
  const isExpired = expYear * 12 + expMonth <= now.getUTCFullYear() * 12 + now.getUTCMonth();
  if (!Number.isInteger(expYear) || isExpired) return badCard("invalid_expiry_year", "exp_year");
  const cvc = textOf(card, "cvc");
  if (cvc !== null && !/^\d{3,4}$/.test(cvc)) return badCard("invalid_cvc", "cvc");
  const address = objectOf(objectOf(data, "billing_details"), "address");
  return {
    brand: brandOf(number),
    last4: number.slice(-4),
    expMonth,
    expYear,
    behavior: testCardOf(number),
    hasCvc: cvc !== null,
    hasLine1: textOf(address, "line1") !== null,
    hasPostalCode: textOf(address, "postal_code") !== null,
    wallet: null,
  };
}

function badCard(code: string, param: string): StripeError {
  const message = `Your card's ${param} is invalid.`;
  return new StripeError(402, "card_error", message, { code, param }, true);
}

function needsAuthentication({ params }: Context, intent: Intent, external: Params | null) {
  const { behavior, wallet } = intent.card as Card;
  // For a wallet token with a cryptogram, the device has already authenticated the cardholder.
  if (intent.isAuthenticated || external !== null || wallet?.hasCryptogram === true) return false;
  const { authentication } = behavior;
  if (authentication === "always") return true;
  const options = objectOf(objectOf(params, "payment_method_options"), "card");
  const isRequested = ["any", "challenge"].includes(
    textOf(options, "request_three_d_secure") ?? "automatic",
  );
  return !intent.offSession && (isRequested || authentication === "required");
}

/** Redirects the cardholder, or declines the payment if the request allows no redirect. */
function redirect(context: Context, intent: Intent): object {
  const { platform, params } = context;
  const returnUrl = textOf(params, "return_url");
  const isForbidden = textOf(params, "error_on_requires_action") === "true" || intent.offSession;
  if (isForbidden || returnUrl === null) {
    decline(context, intent, null, {
      code: "authentication_required",
      declineCode: "authentication_required",
      networkDeclineCode: null,
      networkAdviceCode: null,
      adviceCode: null,
      message: "Your card was declined. This transaction requires authentication.",
    });
  }
  const redirected = platform.put<Intent>(platform.intents, {
    ...intent,
    status: "requires_action",
    redirect: {
      token: `${intent.id}_${randomBytes(12).toString("hex")}`,
      returnUrl: returnUrl as string,
    },
  });
  emitIntent(context, "payment_intent.requires_action", redirected);
  return intentObject(context, redirected);
}

function decline(
  context: Context,
  intent: Intent,
  declined: Charge | null,
  error: Omit<PaymentError, "charge">,
): never {
  const { platform, account } = context;
  const lastPaymentError: PaymentError = { ...error, charge: declined?.id ?? null };
  if (declined) platform.put(platform.charges, { ...declined, error: lastPaymentError });
  const failed = platform.put<Intent>(platform.intents, {
    ...intent,
    status: "requires_payment_method",
    card: null,
    redirect: null,
    isAuthenticated: false,
    lastPaymentError,
    latestCharge: declined?.id ?? intent.latestCharge,
  });
  if (declined) {
    const failedCharge = platform.charges.get(declined.id) as Charge;
    platform.emit(account.id, "charge.failed", renderCharge(failedCharge, account.livemode), null);
  }
  emitIntent(context, "payment_intent.payment_failed", failed);
  throw new StripeError(
    402,
    "card_error",
    error.message,
    { ...errorFields(lastPaymentError), payment_intent: intentObject(context, failed) },
    true,
  );
}

function charge(context: Context, intent: Intent, external: Params | null): object {
  const { platform, account } = context;
  const card = intent.card as Card;
  const isHeld = intent.captureMethod === "manual";
  const created: Charge = {
    id: platform.newId("ch"),
    intent: intent.id,
    account: account.id,
    amount: intent.amount,
    currency: intent.currency,
    metadata: intent.metadata,
    created: platform.nowSeconds(),
    status: "succeeded",
    captured: false,
    amountCaptured: 0,
    amountRefunded: 0,
    disputed: false,
    card,
    error: null,
    authentication: external ? "external" : intent.isAuthenticated ? "own" : null,
    electronicCommerceIndicator: external
      ? textOf(external, "electronic_commerce_indicator")
      : intent.isAuthenticated
        ? "05"
        : null,
    networkTransactionId:
      intent.networkTransactionId ??
      newNetworkTransactionId(card.brand === "mastercard", platform.clock.nowMs()),
    authorizationCode: String(randomInt(100_000, 999_999)),
    balanceTransaction: null,
  };
  const { decline: declined } = card.behavior;
  if (declined) {
    const failed = { ...created, status: "failed" as const, authorizationCode: null };
    decline(context, intent, failed, {
      ...declined,
      networkAdviceCode: null,
      adviceCode: declined.declineCode === "insufficient_funds" ? "try_again_later" : null,
      message: "Your card was declined.",
    });
  }
  platform.put(platform.charges, created);
  const approved = platform.put<Intent>(platform.intents, {
    ...intent,
    status: isHeld ? "requires_capture" : "succeeded",
    latestCharge: created.id,
    redirect: null,
  });
  if (isHeld) {
    platform.emit(account.id, "charge.succeeded", renderCharge(created, account.livemode), null);
    emitIntent(context, "payment_intent.amount_capturable_updated", approved);
    return intentObject(context, approved);
  }
  return captured(context, approved, created, intent.amount);
}

/** The fee of a card payment in the United States: 2.9% and 30 cents (stripe.com/pricing). */
function feeOf(amount: number): number {
  return Math.round((amount * 29) / 1000) + 30;
}

/**
 * Captures a charge. Releases the rest of the authorization. A partial capture has two movements: the authorized
 * amount, and the return of the part that was not captured (docs.stripe.com/reports/reporting-categories).
 */
function captured(context: Context, intent: Intent, held: Charge, amount: number): object {
  const { platform, account } = context;
  const balanceTransaction = platform.move({
    account: account.id,
    type: "charge",
    reportingCategory: "charge",
    amount: intent.amount,
    fee: feeOf(intent.amount),
    currency: intent.currency,
    source: held.id,
  });
  if (amount < intent.amount) returnUncaptured(context, intent, held, amount);
  const taken = platform.put<Charge>(platform.charges, {
    ...held,
    captured: true,
    amountCaptured: amount,
    balanceTransaction,
  });
  const succeeded = platform.put<Intent>(platform.intents, {
    ...intent,
    status: "succeeded",
    amountReceived: amount,
  });
  const event = intent.captureMethod === "manual" ? "charge.captured" : "charge.succeeded";
  platform.emit(account.id, event, renderCharge(taken, account.livemode), null);
  emitIntent(context, "payment_intent.succeeded", succeeded);
  if (taken.card.behavior.dispute) {
    openDispute(context, taken, {
      kind: taken.card.behavior.dispute === "inquiry" ? "inquiry" : "chargeback",
      reason:
        taken.card.behavior.dispute === "inquiry" ? "fraudulent" : taken.card.behavior.dispute,
      amount,
      networkReasonCode: null,
    });
  }
  return intentObject(context, succeeded);
}

/** Records the movement that returns the part that was not captured. The source of this movement is a refund. */
function returnUncaptured(
  { platform, account }: Context,
  intent: Intent,
  held: Charge,
  capturedAmount: number,
): void {
  const amount = intent.amount - capturedAmount;
  const id = platform.newId("re");
  const balanceTransaction = platform.move({
    account: account.id,
    type: "refund",
    reportingCategory: "partial_capture_reversal",
    amount: -amount,
    fee: feeOf(capturedAmount) - feeOf(intent.amount),
    currency: intent.currency,
    source: id,
  });
  platform.put<Refund>(platform.refunds, {
    id,
    charge: held.id,
    intent: intent.id,
    account: account.id,
    amount,
    currency: intent.currency,
    metadata: {},
    created: platform.nowSeconds(),
    status: "succeeded",
    failureReason: null,
    balanceTransaction,
    failureBalanceTransaction: null,
  });
}

export function captureIntent(context: Context, id: string): object {
  const intent = findIntent(context, id);
  if (intent.status !== "requires_capture") throw wrongState(context, intent, "capture");
  const amount = amountOf(context.params, "amount_to_capture") ?? intent.amount;
  if (amount > intent.amount) {
    throw invalid("The amount is too large.", "amount_to_capture", "amount_too_large");
  }
  const held = context.platform.charges.get(intent.latestCharge ?? "") as Charge;
  const metadata = { ...intent.metadata, ...textsOf(objectOf(context.params, "metadata")) };
  return captured(context, { ...intent, metadata }, held, amount);
}

export function cancelIntent(context: Context, id: string): object {
  const { platform } = context;
  const intent = findIntent(context, id);
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw wrongState(context, intent, "cancel");
  }
  const canceled = platform.put<Intent>(platform.intents, {
    ...intent,
    status: "canceled",
    canceledAt: platform.nowSeconds(),
    redirect: null,
  });
  emitIntent(context, "payment_intent.canceled", canceled);
  return intentObject(context, canceled);
}

/**
 * Finds payments by one metadata field, such as `metadata['order']:'1'`. A new payment is found only after a minute
 * (docs.stripe.com/search#data-freshness).
 */
export function searchIntents(context: Context): object {
  const { platform, account, params } = context;
  const match = /^metadata\[['"]([^'"]+)['"]\]:['"]([^'"]+)['"]$/.exec(
    textOf(params, "query") ?? "",
  );
  if (!match) throw invalid("The query is not supported by the fake.", "query");
  const [, name = "", value = ""] = match;
  const searchable = platform.nowSeconds() - 60;
  const data = [...platform.intents.values()]
    .filter(
      (intent) =>
        intent.account === account.id &&
        intent.metadata[name] === value &&
        intent.created <= searchable,
    )
    .reverse()
    .map((intent) => intentObject(context, intent));
  return {
    object: "search_result",
    url: "/v1/payment_intents/search",
    has_more: false,
    data,
    next_page: null,
  };
}

function wrongState(context: Context, intent: Intent, verb: string): StripeError {
  return unexpectedState(
    `This PaymentIntent could not be ${verb}ed because it has a status of ${intent.status}.`,
    "payment_intent_unexpected_state",
    { payment_intent: intentObject(context, intent) },
  );
}

/**
 * Emits an event of the payment, with the fault of the request. No fault affects `payment_intent.created` or the events
 * of the charge.
 */
function emitIntent(context: Context, type: string, intent: Intent): void {
  const { platform, account, eventFault } = context;
  const fault = type === "payment_intent.created" ? null : eventFault;
  platform.emit(account.id, type, intentObject({ ...context, params: {} }, intent), fault);
}

/** Returns the payment whose cardholder is on the page with this token. */
export function redirectedIntent(platform: Platform, token: string): Intent | null {
  const intent = platform.intents.get(token.split("_").slice(0, 2).join("_"));
  return intent?.redirect?.token === token ? intent : null;
}

/**
 * Records the cardholder's choice and returns the return URL. A payment that is confirmed manually then waits for
 * another confirmation (docs.stripe.com/payments/finalize-payments-on-the-server).
 */
export function chooseOutcome(platform: Platform, intent: Intent, form: string): string | null {
  const choice = new URLSearchParams(form).get("outcome");
  if (intent.redirect === null || (choice !== "authenticate" && choice !== "fail")) return null;
  const url = new URL(intent.redirect.returnUrl);
  url.searchParams.set("payment_intent", intent.id);
  url.searchParams.set("payment_intent_client_secret", intent.clientSecret);
  const isDone = choice === "authenticate";
  url.searchParams.set("redirect_status", isDone ? "succeeded" : "failed");
  const account = platform.account(intent.account);
  const context: Context = { platform, account, params: {}, eventFault: null };
  if (isDone) {
    const authenticated = platform.put<Intent>(platform.intents, {
      ...intent,
      status: "requires_confirmation",
      isAuthenticated: true,
      redirect: null,
    });
    if (intent.confirmationMethod === "automatic") confirmIntent(context, authenticated.id);
    return url.href;
  }
  try {
    decline(context, intent, null, {
      code: "payment_intent_authentication_failure",
      declineCode: null,
      networkDeclineCode: null,
      networkAdviceCode: null,
      adviceCode: null,
      message: "The provided PaymentMethod has failed authentication.",
    });
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
  }
  return url.href;
}
