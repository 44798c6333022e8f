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

/** A test card of checkout.com/docs/developer-resources/testing/test-cards. */
const visa = "4242424242424242";

/** An amount whose last two digits cause no decline (docs.checkout.com/testing/response-code-testing). */
const price: Money = { amountMinor: 12_099, currency: "usd" };

/** Amounts that cause a decline (same page), with the decline code that the connector must return. */
const declines = [
  [10_051, "insufficient_funds"],
  [10_005, "do_not_honor"],
] as const;

/** The time between two inquiries about an action. */
const inquireEveryMs = 2_000;
/** The maximum number of inquiries about an action. */
const maxInquiries = 30;

/** Runs the checks of `florin certify` against Checkout.com's sandbox. */
export async function certifyCheckoutCom(run: CertificationRun): Promise<CertificationCheck[]> {
  const {
    checks,
    check,
    checkWallets,
    requestOf,
    authorize,
    approve,
    decline,
    operate,
    awaitEvents,
  } = createCertificationPayments(run, price);
  const expected: string[] = [];

  await check("connection", "The secret key is valid", async () => {
    const result = await run.testConnection();
    return result.kind === "passed"
      ? passed("Checkout.com accepted the secret key.")
      : { status: "failed", found: result.problem };
  });
  await check("sale", "A sale is approved in the processing channel", async () => {
    const { request, payment } = await approve(visa, { capture: true });
    expected.push(request.reference);
    return passed(`Checkout.com approved ${payment}.`);
  });
  await check("hold", "A hold is captured in part and refunded in part", async () => {
    const approved = await approve(visa, { capture: false });
    const capture = await operate("capture", approved, 7_000);
    await waitForOutcome(() => run.processor.inquireOperation?.(capture));
    const refund = await operate("refund", approved, 1_000);
    await waitForOutcome(() => run.processor.inquireOperation?.(refund));
    expected.push(capture.reference, refund.reference);
    return passed(
      `Checkout.com captured a part of ${approved.payment}, and refunded a part of the capture.`,
    );
  });
  await check("void", "A hold is voided", async () => {
    const approved = await approve(visa, { capture: false });
    expected.push((await operate("void", approved, price.amountMinor)).reference);
    return passed(`Checkout.com voided ${approved.payment}.`);
  });
  await check("replay", "A repeated request is executed once", async () => {
    const { request, payment } = await approve(visa, { capture: false });
    const again = await run.processor.authorize(request);
    if (again.kind !== "approved") throw unexpected("approved", again);
    const repeated = again.details.acquirerReference;
    if (repeated !== payment) {
      throw new CheckFailed(`The repeated request created another payment, ${repeated}.`);
    }
    return passed(`Both responses contain ${payment}.`);
  });
  await check("inquiry", "An inquiry by our reference finds a payment", async () => {
    const { request, payment } = await approve(visa, { capture: false });
    const sent = sentOf(request);
    await waitForOutcome(() => run.processor.inquire?.(sent));
    const reversed = await run.processor.reverse(sent);
    if (reversed.kind === "unknown")
      throw new CheckFailed(`The reversal failed: ${reversed.problem}.`);
    return passed(`The inquiry found ${payment}, and the reversal was accepted.`);
  });
  await check("declines", "Declines have the documented codes", async () => {
    for (const [amountMinor, code] of declines) {
      await decline(visa, code, { price: { amountMinor, currency: price.currency } });
    }
    return passed(`Checkout.com returned ${declines.map(([, code]) => code).join(" and ")}.`);
  });
  await check("verification", "A card is verified with the amount zero", async () => {
    const { capture: _, price: __, ...card } = requestOf(visa, { capture: false });
    const outcome = await run.processor.verifyCard?.({
      ...card,
      reference: newId("cv", run.clock.now()),
      currency: price.currency,
    });
    if (outcome?.kind !== "approved") throw unexpected("approved", outcome ?? { kind: "none" });
    return passed("Checkout.com verified the card.");
  });
  await check("redirect", "3-D Secure redirects the cardholder", async () => {
    const outcome = await authorize(visa, {
      capture: true,
      redirect: { returnUrl: run.returnUrl, required: true },
    });
    if (outcome.kind !== "requires_action") throw unexpected("requires_action", outcome);
    return passed(`Checkout.com redirects to ${new URL(outcome.redirect.url).host}.`);
  });
  await checkWallets(invalidTokens);
  await check("events", "Events arrive with a valid signature", () =>
    awaitEvents(
      expected,
      "Make sure that the workflow has the connection's URL and the events of docs/operating/checkout-com.md.",
    ),
  );
  return checks;
}

/** Repeats a status inquiry until it returns a final outcome. Throws if the outcome is not a success. */
async function waitForOutcome(
  inquire: () => Promise<{ readonly kind: string }> | undefined,
): Promise<void> {
  let last = "none";
  for (let attempt = 0; attempt < maxInquiries; attempt++) {
    last = (await inquire())?.kind ?? "none";
    if (last === "done" || last === "approved") return;
    if (last === "declined") break;
    await new Promise((resolve) => setTimeout(resolve, inquireEveryMs));
  }
  throw new CheckFailed(`The inquiry returned '${last}'. Expected 'done' or 'approved'.`);
}
