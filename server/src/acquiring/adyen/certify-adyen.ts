import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { newId, type OperationId } from "../../core/ids.ts";
import { type Currency, moneyText } from "../../core/money.ts";
import {
  type CardCredentials,
  CardNumber,
  GatewayToken,
  SecurityCode,
} from "../../vault/card-number.ts";
import type { CertificationCheck, CertificationRun, Finding } from "../certification.ts";
import { invalidTokens, passed } from "../certify-payments.ts";
import type { AuthorizationOutcome, OperationOutcome } from "../outcome.ts";
import type { AuthorizeRequest, OperationKind } from "../processor.ts";
import { adyenDigits } from "./currencies.ts";
import {
  type ExpectedNotification,
  notificationFinding,
  receivedItems,
  type WaitingRun,
  waitBriefly,
  waitForNotifications,
} from "./expected-notifications.ts";
import { testDeclines } from "./test-declines.ts";

/** A payment that was approved. */
type ApprovedPayment = {
  readonly request: AuthorizeRequest;
  readonly outcome: Extract<AuthorizationOutcome, { kind: "approved" }>;
};

type Run = WaitingRun & {
  /** The notifications that each check expects. */
  readonly expected: Map<CheckName, ExpectedNotification[]>;
};

/**
 * The checks, in their order. The card numbers, the expiry date 03/2030 and the security code 737 are from
 * docs.adyen.com/development-resources/test-cards-and-credentials/test-card-numbers.
 */
const checks = {
  connection: { title: "API key and merchant account", run: checkConnection },
  sale: { title: "Sale approved", run: checkSale },
  card_checks: { title: "CVC and address check results", run: checkCardChecks },
  replay: { title: "Idempotent retry", run: checkReplay },
  capture: { title: "Authorization and capture", run: checkCapture },
  partial_captures: { title: "Multiple partial captures", run: checkPartialCaptures },
  cancellation: { title: "Authorization and cancellation", run: checkCancellation },
  reversal: { title: "Reversal", run: checkReversal },
  reversal_by_reference: {
    title: "Cancellation by Florin's reference",
    run: checkReversalByReference,
  },
  card_verification: { title: "Zero-amount card verification", run: checkVerification },
  authentication: { title: "3-D Secure redirect", run: checkAuthentication },
  google_pay: {
    title: "An invalid Google Pay token is rejected",
    run: (run: Run) => checkWallet(run, "google_pay"),
  },
  apple_pay: {
    title: "An invalid Apple Pay token is rejected",
    run: (run: Run) => checkWallet(run, "apple_pay"),
  },
  currencies: { title: "Currencies whose decimal places differ at Adyen", run: checkCurrencies },
  refusals: { title: "Decline codes of refused payments", run: checkRefusals },
  partial_refund: { title: "Partial refund", run: checkPartialRefund },
  full_refund: { title: "Full refund", run: checkFullRefund },
} as const satisfies Record<
  string,
  { readonly title: string; readonly run: (run: Run) => Promise<Finding> }
>;

type CheckName = keyof typeof checks;

/** Runs all checks against Adyen's test platform, then waits for their notifications. */
export async function certifyAdyen(context: CertificationRun): Promise<CertificationCheck[]> {
  const run: Run = { ...context, expected: new Map(), state: { isSilent: false } };
  const done: CertificationCheck[] = [];
  const add = (check: CertificationCheck) => {
    done.push(check);
    context.onCheck(check);
  };
  for (const [name, check] of Object.entries(checks)) {
    add({ name, title: check.title, ...(await findingOf(check.run, run)) });
    // Every further check would fail for the same reason.
    if (name === "connection" && done[0]?.status === "failed") return done;
  }
  await waitForNotifications(run, [...run.expected.values()].flat(), context.waitMs);
  for (const [name, expected] of run.expected) {
    const title = `Notification: ${checks[name].title}`;
    add({ name: `${name}_notification`, title, ...(await notificationFinding(run, expected)) });
  }
  return done;
}

/** Thrown if the acquirer did not behave as the connector expects. The message is for the operator. */
class CheckFailed extends Error {}

/** Thrown if the merchant account does not support what a check tests. The check is then skipped. */
class CheckSkipped extends Error {}

async function findingOf(check: (run: Run) => Promise<Finding>, run: Run): Promise<Finding> {
  try {
    return await check(run);
  } catch (error) {
    if (error instanceof CheckFailed) return { status: "failed", found: error.message };
    if (error instanceof CheckSkipped) return { status: "skipped", found: error.message };
    throw error;
  }
}

async function checkConnection({ testConnection, assignment }: Run): Promise<Finding> {
  const result = await testConnection();
  if (result.kind === "failed") throw new CheckFailed(result.problem);
  return passed(`The API key has access to the merchant account ${assignment.merchantAccount}.`);
}

async function checkSale(run: Run): Promise<Finding> {
  const { outcome } = await approve(run, "sale", { capture: true });
  return passed(
    `Adyen approved the payment. Its reference is ${outcome.details.acquirerReference}.`,
  );
}

async function checkCardChecks(run: Run): Promise<Finding> {
  const { outcome } = await approve(run, "card_checks", {
    card: { ...testCard(visa), addressLine1: "12 High Street", postalCode: "10001" },
    payer: { ...payerNamed("J. Smith"), address },
  });
  const { cvcCheck, addressPostalCodeCheck } = outcome.details.checks;
  if (cvcCheck === null && addressPostalCodeCheck === null) {
    throw new CheckSkipped(
      "Adyen returned neither check result. Turn on both results in the Customer Area under Developers > Additional data.",
    );
  }
  if (cvcCheck === "fail") {
    throw new CheckFailed("Adyen reported a mismatch for the correct security code, 737.");
  }
  return passed(
    `Security code: ${cvcCheck ?? "not returned"}. Postal code: ${addressPostalCodeCheck ?? "not returned"}.`,
  );
}

async function checkReplay(run: Run): Promise<Finding> {
  const { request, outcome } = await approve(run, "replay", {});
  const replayed = await run.processor.authorize(request);
  if (replayed.kind !== "approved") throw unexpected("The repeated request", replayed);
  const [first, second] = [outcome, replayed].map(({ details }) => details.acquirerReference);
  if (first !== second) {
    throw new CheckFailed(
      `Adyen executed the repeated request a second time: ${first} and ${second} have the same idempotency key. In live mode, a repeated request would charge the cardholder twice.`,
    );
  }
  return passed(`Both responses have the same reference, ${first}.`);
}

async function checkCapture(run: Run): Promise<Finding> {
  const payment = await approve(run, "capture", { capture: false });
  await operate(run, "capture", payment, "capture", payment.request.price.amountMinor);
  return passed("Adyen accepted the capture of the full amount.");
}

async function checkPartialCaptures(run: Run): Promise<Finding> {
  const payment = await approve(run, "partial_captures", { capture: false });
  await operate(run, "partial_captures", payment, "capture", 400);
  const reference = newId("op", run.clock.now());
  const second = await sendOperation(run, payment, {
    kind: "capture",
    amountMinor: 600,
    reference,
  });
  if (second.kind === "rejected" || second.kind === "declined") throw new CheckSkipped(oneCapture);
  if (second.kind !== "pending") throw unexpected("The second capture", second);
  const expected = captured(payment, reference, 600);
  await waitBriefly(run, [expected]);
  const [item] = await receivedItems(run, [reference]);
  if (item && (item.eventCode === "CAPTURE_FAILED" || !item.success)) {
    throw new CheckSkipped(oneCapture);
  }
  expect(run, "partial_captures", expected);
  return passed("Adyen accepted two captures of one payment.");
}

const oneCapture =
  "The merchant account allows only one capture for each payment. Ask Adyen to enable multiple partial captures.";

async function checkCancellation(run: Run): Promise<Finding> {
  const payment = await approve(run, "cancellation", { capture: false });
  await operate(run, "cancellation", payment, "void", payment.request.price.amountMinor);
  return passed("Adyen accepted the cancellation.");
}

async function checkReversal(run: Run): Promise<Finding> {
  const payment = await approve(run, "reversal", { capture: false });
  return reverse(run, "reversal", payment, payment.outcome.details.acquirerReference);
}

/** Cancels a payment by our reference, as the connector does if the response with Adyen's reference was lost. */
async function checkReversalByReference(run: Run): Promise<Finding> {
  const payment = await approve(run, "reversal_by_reference", { capture: false });
  return reverse(run, "reversal_by_reference", payment, null);
}

async function reverse(
  run: Run,
  check: CheckName,
  { request: { account, reference, price } }: ApprovedPayment,
  acquirerReference: string | null,
): Promise<Finding> {
  const terms = { price, capture: true, statementDescriptor: null };
  const sent = { account, reference, acquirerReference, attempt: "0.1", series: "0", ...terms };
  const outcome = await run.processor.reverse(sent);
  if (outcome.kind === "unknown")
    throw new CheckFailed(`Adyen returned no usable response: ${outcome.problem}.`);
  const eventCode = acquirerReference === null ? "TECHNICAL_CANCEL" : "CANCEL_OR_REFUND";
  expect(run, check, { reference, eventCode, success: true, price });
  return passed("Adyen accepted the request.");
}

async function checkVerification(run: Run): Promise<Finding> {
  const { processor, clock, assignment } = run;
  const reference = newId("cv", clock.now());
  const currency = "eur";
  const { account } = assignment;
  const card = testCard(visa);
  const request = { account, reference, currency, card, authentication: null } as const;
  const outcome = await processor.verifyCard?.({ ...request, payer: payerNamed("J. Smith") });
  if (outcome?.kind !== "approved") throw unexpected("The verification", outcome);
  const price = { amountMinor: 0, currency } as const;
  expect(run, "card_verification", { reference, eventCode: "AUTHORISATION", success: true, price });
  return passed("Adyen approved the verification without reserving an amount.");
}

/** Starts an authentication and leaves it unfinished, because only a browser can complete it. */
async function checkAuthentication(run: Run): Promise<Finding> {
  const redirect = { returnUrl: run.returnUrl, required: true };
  // A Visa card that Adyen lists under "3D Secure 2 authentication".
  const request = requestOf(run, { card: testCard("4917610000000000"), redirect });
  const outcome = await run.processor.authorize(request);
  if (outcome.kind !== "requires_action") throw unexpected("The payment", outcome);
  return passed(`Adyen redirects the cardholder to ${new URL(outcome.redirect.url).host}.`);
}

/**
 * Sends a token that Adyen cannot decrypt, because only a wallet can create a valid one. The check passes if Adyen
 * rejects the token, and fails if Adyen rejects the payment method.
 */
async function checkWallet(run: Run, wallet: DigitalWallet): Promise<Finding> {
  const { authorizeGatewayToken } = run.processor;
  if (!run.gatewayWallets.has(wallet) || authorizeGatewayToken === null) {
    throw new CheckSkipped("Adyen does not decrypt the tokens of this wallet.");
  }
  const { price, account } = requestOf(run, {});
  const token = new GatewayToken(invalidTokens[wallet]);
  const reference = newId("ch", run.clock.now());
  const outcome = await authorizeGatewayToken({
    account,
    reference,
    price,
    capture: false,
    wallet,
    token,
  });
  if (outcome.kind === "rejected" && outcome.why === "wallet_token") {
    return passed("Adyen rejected an invalid token, and accepts the payment method.");
  }
  throw unexpected("The payment with an invalid token", outcome);
}

async function checkCurrencies(run: Run): Promise<Finding> {
  const results: string[] = [];
  for (const currency of Object.keys(adyenDigits) as Currency[]) {
    const price = { amountMinor: 5000, currency };
    const request = requestOf(run, { price });
    const outcome = await run.processor.authorize(request);
    if (outcome.kind === "approved") {
      if (outcome.approvedMinor !== price.amountMinor) {
        throw new CheckFailed(
          `Adyen approved ${moneyText(outcome.approvedMinor, currency)} instead of ${moneyText(price.amountMinor, currency)}.`,
        );
      }
      expectAuthorization(run, "currencies", request, true);
    }
    results.push(`${currency.toUpperCase()} ${outcome.kind}`);
  }
  const found = `${results.join(", ")}.`;
  if (run.expected.has("currencies")) return passed(found);
  throw new CheckSkipped(`The merchant account accepts none of these currencies: ${found}`);
}

async function checkRefusals(run: Run): Promise<Finding> {
  const wrong: string[] = [];
  for (const [holderName, code] of testDeclines) {
    const request = requestOf(run, { payer: payerNamed(holderName) });
    const outcome = await run.processor.authorize(request);
    if (outcome.kind === "declined" && outcome.code === code) {
      expectAuthorization(run, "refusals", request, false);
    } else {
      wrong.push(`${holderName}: expected ${code}, and the payment ${describe(outcome)}`);
    }
  }
  if (wrong.length > 0) throw new CheckFailed(`${wrong.join(". ")}.`);
  return passed(`All ${testDeclines.length} refused payments have the expected decline code.`);
}

async function checkPartialRefund(run: Run): Promise<Finding> {
  const payment = await approve(run, "partial_refund", { capture: true });
  await waitBriefly(run, approvalsOf(run, "partial_refund"));
  await operate(run, "partial_refund", payment, "refund", 300);
  await operate(run, "partial_refund", payment, "refund", 200);
  return passed("Adyen accepted two partial refunds of one payment.");
}

async function checkFullRefund(run: Run): Promise<Finding> {
  const payment = await approve(run, "full_refund", { capture: true });
  await waitBriefly(run, approvalsOf(run, "full_refund"));
  await operate(run, "full_refund", payment, "refund", payment.request.price.amountMinor);
  return passed("Adyen accepted the refund of the full amount.");
}

function approvalsOf({ expected }: Run, check: CheckName): readonly ExpectedNotification[] {
  return expected.get(check) ?? [];
}

/** Sends an authorization that must be approved, and expects its notification. */
async function approve(
  run: Run,
  check: CheckName,
  changes: Partial<AuthorizeRequest>,
): Promise<ApprovedPayment> {
  const request = requestOf(run, changes);
  const outcome = await run.processor.authorize(request);
  if (outcome.kind !== "approved") throw unexpected("The payment", outcome);
  expectAuthorization(run, check, request, true);
  return { request, outcome };
}

function requestOf(
  { assignment: { account }, clock }: Run,
  changes: Partial<AuthorizeRequest>,
): AuthorizeRequest {
  return {
    account,
    reference: newId("ch", clock.now()),
    price: { amountMinor: 1000, currency: "eur" },
    card: testCard(visa),
    capture: true,
    authentication: null,
    payer: payerNamed("J. Smith"),
    ...changes,
  };
}

const visa = "4111111111111111";

function testCard(number: string): CardCredentials {
  return {
    number: new CardNumber(number),
    expMonth: 3,
    expYear: 2030,
    securityCode: new SecurityCode("737"),
    postalCode: null,
    addressLine1: null,
  };
}

function payerNamed(name: string) {
  return { name, email: null, phone: null, ip: null, address: null, browser: null };
}

const address = {
  line1: "12 High Street",
  city: "New York",
  state: "NY",
  postalCode: "10001",
  country: "US",
};

/** Sends a capture, cancellation or refund that Adyen must accept, and expects its notification. */
async function operate(
  run: Run,
  check: CheckName,
  payment: ApprovedPayment,
  kind: OperationKind,
  amountMinor: number,
): Promise<void> {
  const reference = newId("op", run.clock.now());
  const outcome = await sendOperation(run, payment, { kind, amountMinor, reference });
  if (outcome.kind !== "pending") throw unexpected(`The ${kind}`, outcome);
  const { currency } = payment.request.price;
  const price = { amountMinor, currency };
  expect(run, check, { reference, eventCode: eventCodes[kind], success: true, price });
}

const eventCodes = { capture: "CAPTURE", void: "CANCELLATION", refund: "REFUND" } as const;

function sendOperation(
  { processor }: Run,
  { request, outcome }: ApprovedPayment,
  {
    kind,
    amountMinor,
    reference,
  }: {
    readonly kind: OperationKind;
    readonly amountMinor: number;
    readonly reference: OperationId;
  },
): Promise<OperationOutcome> {
  return processor.operate({
    account: request.account,
    reference,
    kind,
    charge: request.reference,
    chargeReference: outcome.details.acquirerReference,
    price: { amountMinor, currency: request.price.currency },
  });
}

function captured(
  { request }: ApprovedPayment,
  reference: OperationId,
  amountMinor: number,
): ExpectedNotification {
  const price = { amountMinor, currency: request.price.currency };
  return { reference, eventCode: "CAPTURE", success: true, price };
}

function expectAuthorization(
  run: Run,
  check: CheckName,
  { reference, price }: AuthorizeRequest,
  success: boolean,
): void {
  expect(run, check, { reference, eventCode: "AUTHORISATION", success, price });
}

function expect({ expected }: Run, check: CheckName, notification: ExpectedNotification): void {
  expected.set(check, [...(expected.get(check) ?? []), notification]);
}

function unexpected(
  subject: string,
  outcome: AuthorizationOutcome | OperationOutcome | undefined,
): CheckFailed {
  return new CheckFailed(`${subject} ${outcome ? describe(outcome) : "is not supported"}.`);
}

/**
 * Returns the end of a sentence about the request, such as `was executed`. After a failure, it names the likely cause.
 */
function describe(outcome: AuthorizationOutcome | OperationOutcome): string {
  switch (outcome.kind) {
    case "approved":
    case "done":
      return "was executed";
    case "declined":
      return `was declined with ${outcome.code}`;
    case "requires_action":
      return "requires a redirect of the cardholder";
    case "pending":
      return "is pending";
    case "not_sent":
      return "could not be sent, because Adyen was unreachable";
    case "rejected": {
      const code = outcome.acquirerErrorCode;
      const text = `was rejected (${outcome.why}${code === null ? "" : `, Adyen error code ${code}`})`;
      return outcome.why === "credentials"
        ? `${text}. To send card numbers, the API key needs the role API PCI Payments`
        : text;
    }
    case "unknown":
      return `has an unknown outcome (${outcome.why}: ${outcome.problem})`;
  }
}
