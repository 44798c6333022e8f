import { newId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { type CardCredentials, CardNumber, SecurityCode } from "../../vault/card-number.ts";
import type { CertificationCheck, CertificationRun, Finding } from "../certification.ts";
import type { AuthorizationOutcome } from "../outcome.ts";
import type { AuthorizeRequest, OperationKind } from "../processor.ts";
import type { StripeItem } from "./webhooks.ts";

/** Test cards of docs.stripe.com/testing, by the result that Stripe documents. */
const cards = {
  approved: "4242424242424242",
  insufficientFunds: "4000000000009995",
  lost: "4000000000009987",
  cvcFails: "4000000000000101",
  requiresAuthentication: "4000002760003184",
} as const;

const price: Money = { amountMinor: 1099, currency: "usd" };

/** Thrown if Stripe did not behave as the connector expects. The message becomes the finding. */
class CheckFailed extends Error {}

type Approved = { readonly request: AuthorizeRequest; readonly payment: string };

/** Runs the checks of `florin certify` against a sandbox of Stripe. */
export async function certifyStripe(run: CertificationRun): Promise<CertificationCheck[]> {
  const checks: CertificationCheck[] = [];
  const expected: string[] = [];
  const check = async (name: string, title: string, find: () => Promise<Finding>) => {
    const finding = await find().catch((error: unknown): Finding => {
      if (error instanceof CheckFailed) return { status: "failed", found: error.message };
      throw error;
    });
    const done = { name, title, ...finding };
    checks.push(done);
    run.onCheck(done);
  };

  await check("connection", "The secret key belongs to the account", async () => {
    const result = await run.testConnection();
    return result.kind === "passed"
      ? passed("Stripe accepted the secret key.")
      : { status: "failed", found: result.problem };
  });
  await check("sale", "A sale is approved and captured", async () => {
    const { request, payment } = await approve(run, cards.approved, { capture: true });
    expected.push(request.reference);
    const refund = await operate(run, "refund", request, payment, 500);
    expected.push(refund);
    return passed(`Stripe approved ${payment} and refunded a part of it.`);
  });
  await check("hold", "A hold is captured in part", async () => {
    const { request, payment } = await approve(run, cards.approved, { capture: false });
    expected.push(request.reference, await operate(run, "capture", request, payment, 700));
    return passed(`Stripe captured a part of ${payment}.`);
  });
  await check("void", "A hold is canceled", async () => {
    const { request, payment } = await approve(run, cards.approved, { capture: false });
    await operate(run, "void", request, payment, price.amountMinor);
    return passed(`Stripe canceled ${payment}.`);
  });
  await check("inquiry", "An inquiry by our reference finds a payment", async () => {
    const { request, payment } = await approve(run, cards.approved, { capture: false });
    const sent = { ...sentOf(request), acquirerReference: null };
    const found = await run.processor.inquire?.(sent);
    if (found?.kind !== "approved")
      throw new CheckFailed(`The inquiry returned '${found?.kind}'. Expected 'approved'.`);
    const reversed = await run.processor.reverse(sent);
    if (reversed.kind !== "reversed") {
      throw new CheckFailed(`The reversal returned '${reversed.kind}'. Expected 'reversed'.`);
    }
    return passed(`The inquiry found ${payment}, and the reversal canceled it.`);
  });
  await check("declines", "Declines have the documented codes", async () => {
    await decline(run, cards.insufficientFunds, "insufficient_funds");
    await decline(run, cards.lost, "lost_card");
    return passed("Stripe returned insufficient_funds and lost_card.");
  });
  await check("checks", "A failed check of the security code is returned", async () => {
    const outcome = await authorize(run, cards.cvcFails, { capture: false });
    const check = "details" in outcome ? outcome.details.checks.cvcCheck : null;
    return check === "fail"
      ? passed("The check of the security code failed, as documented.")
      : { status: "failed", found: `The check of the security code is '${check}'.` };
  });
  await check("redirect", "3-D Secure redirects the cardholder", async () => {
    const outcome = await authorize(run, cards.requiresAuthentication, {
      capture: true,
      redirect: { returnUrl: run.returnUrl, required: true },
    });
    if (outcome.kind !== "requires_action") throw unexpected("requires_action", outcome);
    return passed(`Stripe redirects to ${new URL(outcome.redirect.url).host}.`);
  });
  await check("events", "Events arrive with a valid signature", () => awaitEvents(run, expected));
  return checks;
}

function passed(found: string): Finding {
  return { status: "passed", found };
}

function requestOf(
  { assignment, clock }: CertificationRun,
  number: string,
  more: Pick<AuthorizeRequest, "capture"> & Partial<AuthorizeRequest>,
): AuthorizeRequest {
  const now = clock.now();
  return {
    account: assignment.account,
    reference: newId("ch", now),
    price,
    card: cardOf(number, now),
    authentication: null,
    ...more,
  };
}

function cardOf(number: string, now: Date): CardCredentials {
  return {
    number: new CardNumber(number),
    expMonth: 12,
    expYear: now.getUTCFullYear() + 3,
    securityCode: new SecurityCode("123"),
    postalCode: null,
    addressLine1: null,
  };
}

function authorize(
  run: CertificationRun,
  number: string,
  more: Pick<AuthorizeRequest, "capture"> & Partial<AuthorizeRequest>,
): Promise<AuthorizationOutcome> {
  return run.processor.authorize(requestOf(run, number, more));
}

async function approve(
  run: CertificationRun,
  number: string,
  more: Pick<AuthorizeRequest, "capture">,
): Promise<Approved> {
  const request = requestOf(run, number, more);
  const outcome = await run.processor.authorize(request);
  if (outcome.kind !== "approved") throw unexpected("approved", outcome);
  return { request, payment: outcome.details.acquirerReference as string };
}

async function decline(run: CertificationRun, number: string, code: string): Promise<void> {
  const outcome = await authorize(run, number, { capture: true });
  if (outcome.kind !== "declined" || outcome.code !== code) throw unexpected(code, outcome);
}

async function operate(
  run: CertificationRun,
  kind: OperationKind,
  { account, reference: charge, price: { currency } }: AuthorizeRequest,
  chargeReference: string,
  amountMinor: number,
): Promise<string> {
  const reference = newId("op", run.clock.now());
  const operation = { account, reference, kind, charge, chargeReference };
  const outcome = await run.processor.operate({ ...operation, price: { amountMinor, currency } });
  if (outcome.kind !== "done" && outcome.kind !== "pending") throw unexpected("done", outcome);
  return reference;
}

function sentOf({ account, reference, price: terms, capture }: AuthorizeRequest) {
  const keys = { attempt: "0.1", series: "0" };
  return { account, reference, price: terms, capture, statementDescriptor: null, ...keys };
}

function unexpected(expected: string, outcome: { readonly kind: string }): CheckFailed {
  const detail = Object.entries(outcome)
    .filter(([name, value]) => name !== "details" && typeof value === "string")
    .map(([, value]) => value);
  return new CheckFailed(`Expected '${expected}'. Stripe's response: ${detail.join(", ")}.`);
}

const pollEveryMs = 500;

/** Waits until events about all references have arrived. */
async function awaitEvents(run: CertificationRun, references: readonly string[]): Promise<Finding> {
  const until = performance.now() + run.waitMs;
  for (;;) {
    const items = (await run.readItems(references)) as readonly StripeItem[];
    const arrived = new Set(items.map(({ merchantReference }) => merchantReference));
    const missing = references.filter((reference) => !arrived.has(reference));
    if (missing.length === 0) return passed(`${items.length} events arrived.`);
    if (performance.now() >= until) {
      const found = `No event about ${missing.join(", ")} arrived. Make sure that the webhook has the connection's URL and the events of docs/operating/stripe.md.`;
      return { status: "not_seen", found };
    }
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
}
