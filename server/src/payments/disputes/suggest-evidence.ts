import type { Address } from "@florin/contract/address.ts";
import type { CheckResult, ThreeDSecure } from "@florin/contract/charge.ts";
import type { EvidenceTexts } from "@florin/contract/evidence-fields.ts";
import { brandNames } from "../../cards/payment-methods/masked-card.ts";
import { createdAt } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { knownAddress } from "../../core/network.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/** The data that the service has about a disputed payment. */
export type DisputedPayment = {
  readonly charge: SucceededCharge;
  readonly session: Pick<CheckoutSession, "details"> | null;
  readonly customer: { readonly name: string | null; readonly email: string | null } | null;
  /** Earlier payments with the same card, newest first. */
  readonly earlier: readonly Charge[];
};

/** Returns the texts of the evidence that the service can write from its own data. */
export function suggestEvidence({
  charge,
  session,
  customer,
  earlier,
}: DisputedPayment): EvidenceTexts {
  const { billing_details, shipping_details, description, line_items, customer_email } =
    session?.details ?? {};
  const { email: decisionEmail, billing_country } = charge.risk.details ?? {};
  const items = line_items?.map(({ name, quantity }) => `${quantity} × ${name}`).join("\n");
  const name = billing_details?.name ?? customer?.name ?? shipping_details?.name;
  const email =
    customer_email ?? billing_details?.email ?? (decisionEmail || null) ?? customer?.email;
  return withoutEmpty({
    product_description: items ?? charge.description ?? description,
    customer_name: name,
    customer_email_address: email,
    billing_address: addressText(billing_details?.address) ?? billing_country,
    customer_purchase_ip: addressOf(charge),
    verification_results: verificationText(charge),
    receipt: receiptText(charge, session),
    earlier_payments: earlierText(charge, earlier),
    shipping_address: shippingText(shipping_details),
    shipping_carrier: shipping_details?.carrier,
    shipping_tracking_number: shipping_details?.tracking_number,
  });
}

type Suggestion = { readonly [Field in keyof EvidenceTexts]: string | null | undefined };

function withoutEmpty(texts: Suggestion): EvidenceTexts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
}

function shippingText(details: CheckoutSession["details"]["shipping_details"] | undefined) {
  const address = addressText(details?.address);
  return address === null ? null : [details?.name, address].filter(Boolean).join("\n");
}

function addressText(address: Address | undefined): string | null {
  if (!address) return null;
  const { line1, line2, postal_code, city, state, country } = address;
  const place = [postal_code, city].filter(Boolean).join(" ");
  return [line1, line2, place, state, country].filter(Boolean).join("\n") || null;
}

const checkTexts: Readonly<Record<CheckResult, string>> = {
  pass: "matched",
  fail: "did not match",
  unavailable: "not available",
  unchecked: "not checked",
};

const authenticationTexts: Readonly<Record<ThreeDSecure["result"], string>> = {
  authenticated: "the issuer authenticated the cardholder",
  attempted: "attempted, but the issuer does not support 3-D Secure",
  informational: "for information only",
  failed: "failed",
  rejected: "rejected by the issuer",
  unavailable: "not available",
  canceled: "canceled",
  timed_out: "timed out",
};

function verificationText({ threeDSecure, checks }: SucceededCharge): string | null {
  const lines: string[] = [];
  if (threeDSecure) {
    const { version, result, flow, eci, liability_shift, ds_transaction_id } = threeDSecure;
    const how = flow === "challenge" ? " with a challenge" : "";
    lines.push(`3-D Secure ${version}: ${authenticationTexts[result]}${how}.`);
    if (eci !== null) lines.push(`Electronic commerce indicator: ${eci}.`);
    if (ds_transaction_id !== null)
      lines.push(`Directory server transaction: ${ds_transaction_id}.`);
    if (liability_shift) lines.push("The liability for fraud is with the issuer.");
  }
  for (const [label, result] of [
    ["Security code (CVC)", checks?.cvcCheck],
    ["Address (AVS)", checks?.addressLine1Check],
    ["Postal code (AVS)", checks?.addressPostalCodeCheck],
  ] as const) {
    if (result) lines.push(`${label}: ${checkTexts[result]}.`);
  }
  return lines.join("\n") || null;
}

function receiptText(charge: SucceededCharge, session: DisputedPayment["session"]): string {
  const { currency } = charge.price;
  const { brand, last4 } = charge.card;
  const lines = [
    `Date: ${timeText(createdAt(charge.id))}`,
    `Amount: ${moneyText(charge.capturedMinor, currency)}`,
    `Card: ${brandNames[brand]}${last4 === null ? "" : ` ending in ${last4}`}`,
  ];
  if (charge.clientReferenceId !== null) lines.push(`Order: ${charge.clientReferenceId}`);
  if (charge.statementDescriptor !== null) {
    lines.push(`Text on the card statement: ${charge.statementDescriptor}`);
  }
  for (const { name, quantity, amount } of session?.details.line_items ?? []) {
    lines.push(`${quantity} × ${name}: ${moneyText(quantity * amount, currency)}`);
  }
  if (charge.refundedMinor > 0) {
    lines.push(`Refunded: ${moneyText(charge.refundedMinor, currency)}`);
  }
  return lines.join("\n");
}

/** The maximum number of earlier payments in the text. Visa's Compelling Evidence 3.0 needs two. */
const maxEarlier = 5;

function earlierText(charge: SucceededCharge, earlier: readonly Charge[]): string | null {
  const ip = addressOf(charge);
  return (
    earlier
      .slice(0, maxEarlier)
      .map(({ id, price, risk }) => {
        const money = moneyText(price.amountMinor, price.currency);
        const sameAddress = ip && addressOf({ risk }) === ip ? ", from the same IP address" : "";
        return `${timeText(createdAt(id))}: ${money}, ${id}${sameAddress}`;
      })
      .join("\n") || null
  );
}

/** Returns the IP address from which the customer paid, or null if it is unknown. */
function addressOf({ risk }: Pick<Charge, "risk">): string | null {
  return risk.details?.ip ? knownAddress(risk.details.ip) : null;
}

function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
