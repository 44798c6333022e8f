import { newId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { CertificationCheck, CertificationRun } from "../certification.ts";
import {
  CheckFailed,
  createCertificationPayments,
  invalidTokens,
  passed,
  sentOf,
  unexpected,
} from "../certify-payments.ts";

/** Test cards of docs.stripe.com/testing, by the result that Stripe documents. */
const cards = {
  approved: "4242424242424242",
  insufficientFunds: "4000000000009995",
  lost: "4000000000009987",
  cvcFails: "4000000000000101",
  requiresAuthentication: "4000002760003184",
} as const;

const price: Money = { amountMinor: 1099, currency: "usd" };

/** Runs the checks of `florin certify` against a sandbox of Stripe. */
export async function certifyStripe(run: CertificationRun): Promise<CertificationCheck[]> {
  const {
    checks,
    check,
    checkWallets,
    authorize,
    approve,
    decline,
    operate,
    requestOf,
    awaitEvents,
  } = createCertificationPayments(run, price);
  const expected: string[] = [];

  await check("connection", "The secret key belongs to the account", async () => {
    const result = await run.testConnection();
    return result.kind === "passed"
      ? passed("Stripe accepted the secret key.")
      : { status: "failed", found: result.problem };
  });
  await check("sale", "A sale is approved and captured", async () => {
    const approved = await approve(cards.approved, { capture: true });
    const refund = await operate("refund", approved, 500);
    expected.push(approved.request.reference, refund.reference);
    return passed(`Stripe approved ${approved.payment} and refunded a part of it.`);
  });
  await check("hold", "A hold is captured in part", async () => {
    const approved = await approve(cards.approved, { capture: false });
    const capture = await operate("capture", approved, 700);
    expected.push(approved.request.reference, capture.reference);
    return passed(`Stripe captured a part of ${approved.payment}.`);
  });
  await check("void", "A hold is canceled", async () => {
    const approved = await approve(cards.approved, { capture: false });
    await operate("void", approved, price.amountMinor);
    return passed(`Stripe canceled ${approved.payment}.`);
  });
  await check("inquiry", "An inquiry by our reference finds a payment", async () => {
    const { request, payment } = await approve(cards.approved, { capture: false });
    const found = await run.processor.inquire?.(sentOf(request));
    if (found?.kind !== "approved")
      throw new CheckFailed(`The inquiry returned '${found?.kind}'. Expected 'approved'.`);
    const reversed = await run.processor.reverse(sentOf(request));
    if (reversed.kind !== "reversed") {
      throw new CheckFailed(`The reversal returned '${reversed.kind}'. Expected 'reversed'.`);
    }
    return passed(`The inquiry found ${payment}, and the reversal canceled it.`);
  });
  await check("declines", "Declines have the documented codes", async () => {
    await decline(cards.insufficientFunds, "insufficient_funds");
    await decline(cards.lost, "lost_card");
    return passed("Stripe returned insufficient_funds and lost_card.");
  });
  await check("checks", "A failed check of the security code is returned", async () => {
    const outcome = await authorize(cards.cvcFails, { capture: false });
    const result = "details" in outcome ? outcome.details.checks.cvcCheck : null;
    return result === "fail"
      ? passed("The check of the security code failed, as documented.")
      : { status: "failed", found: `The check of the security code is '${result}'.` };
  });
  await check("verification", "A card is verified without a payment", async () => {
    const { capture: _, price: __, ...card } = requestOf(cards.approved, { capture: false });
    const outcome = await run.processor.verifyCard?.({
      ...card,
      reference: newId("cv", run.clock.now()),
      use: { kind: "to_be_saved" },
      currency: price.currency,
    });
    if (outcome?.kind !== "approved") throw unexpected("approved", outcome ?? { kind: "none" });
    return passed("Stripe verified the card.");
  });
  await check("redirect", "3-D Secure redirects the cardholder", async () => {
    const outcome = await authorize(cards.requiresAuthentication, {
      capture: true,
      redirect: { returnUrl: run.returnUrl, required: true },
    });
    if (outcome.kind !== "requires_action") throw unexpected("requires_action", outcome);
    return passed(`Stripe redirects to ${new URL(outcome.redirect.url).host}.`);
  });
  await checkWallets({
    ...invalidTokens,
    google_pay: JSON.stringify({ id: "tok_FlorinCertification", object: "token" }),
  });
  await check("events", "Events arrive with a valid signature", () =>
    awaitEvents(
      expected,
      "Make sure that the webhook has the connection's URL and the events of docs/operating/stripe.md.",
    ),
  );
  return checks;
}
