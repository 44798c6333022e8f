import { formatAmount } from "@florin/embed/src/frame/amount.ts";
import { chooseLocale } from "@florin/embed/src/frame/locales/choose-locale.ts";
import { brandNames, type MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import { oneLine } from "../../core/one-line.ts";
import { timeFormat } from "../../core/time-format.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { mailBrandOf } from "../../identity/team/email-team.ts";
import type { Mail } from "../../platform/mail/mail.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { receiptNumber } from "./receipt.ts";
import { type ReceiptWords, receiptWords } from "./receipt-words.ts";

/** The payment of a receipt, and the stored data of its customer. */
export type ReceiptPayment = {
  readonly charge: SucceededCharge;
  readonly session: Pick<CheckoutSession, "details"> | null;
  readonly customer: { readonly email: string | null } | null;
};

/** The refund of a receipt. */
export type ReceiptRefund = { readonly amountMinor: number; readonly succeededAt: Date };

/** Returns the email address of the customer, or null if the service does not know it. */
export function customerEmail({
  session,
  customer,
}: Pick<ReceiptPayment, "session" | "customer">): string | null {
  const { customer_email = null, billing_details = null } = session?.details ?? {};
  return customer_email ?? billing_details?.email ?? customer?.email ?? null;
}

/**
 * Returns the email about a payment, or about a refund of it, in the language of the checkout session. The email names
 * the card only by its network and last four digits.
 */
export function receiptEmail(
  account: Account,
  payment: ReceiptPayment,
  refund: ReceiptRefund | null,
): Omit<Mail, "to"> {
  const { charge, session } = payment;
  const { language, tag } = chooseLocale([session?.details.locale]);
  const words = receiptWords[language];
  const { currency } = charge.price;
  const look: Look = {
    amount: (amountMinor) => formatAmount(amountMinor, currency, tag),
    date: timeFormat(tag, account.profile.timeZone).format,
    words,
  };
  const number = receiptNumber(charge.id);
  const subject = refund ? words.refundSubject : words.paymentSubject;
  const paragraphs = [
    ...(charge.scope.livemode ? [] : [words.testMode]),
    tableOf(factsOf(charge, refund, look)),
    ...(refund ? [words.refundDelay] : itemsOf(payment, look)),
    ...contactOf(account, words),
  ];
  return {
    subject: subject(account.name, number),
    text: `${paragraphs.join("\n\n")}\n`,
    brand: mailBrandOf(account),
    language: tag,
    replyTo: account.profile.supportEmail,
  };
}

type Look = {
  readonly amount: (amountMinor: number) => string;
  readonly date: (at: Date) => string;
  readonly words: ReceiptWords;
};

type Row = readonly [label: string, value: string | null];

function factsOf(
  charge: SucceededCharge,
  refund: ReceiptRefund | null,
  { amount, date, words }: Look,
): Row[] {
  const method = cardText(charge.card);
  // A payment may already have been refunded when a person requests its receipt.
  const refunded = refund ? refund.amountMinor : charge.refundedMinor;
  return [
    ...(refund ? [] : ([[words.amountPaid, amount(charge.capturedMinor)]] as const)),
    ...(refunded > 0 ? ([[words.amountRefunded, amount(refunded)]] as const) : []),
    refund
      ? [words.dateRefunded, date(refund.succeededAt)]
      : [words.datePaid, date(charge.finalizedAt)],
    [words.paymentMethod, method],
    [words.statement, charge.statementDescriptor],
    [words.order, charge.clientReferenceId],
    [words.number, receiptNumber(charge.id)],
  ];
}

/** Returns the network and the last digits of the card, as far as they are known. Null if neither is. */
function cardText({ brand, last4 }: MaskedCard): string | null {
  const known = [
    ...(brand === "unknown" ? [] : [brandNames[brand]]),
    ...(last4 === null ? [] : [`•••• ${last4}`]),
  ];
  return known.length === 0 ? null : known.join(" ");
}

/**
 * Returns the purchased items if the full amount was captured, and otherwise the description of the payment. After a
 * partial capture, it is not recorded which items were captured.
 */
function itemsOf({ charge, session }: ReceiptPayment, { amount, words }: Look): string[] {
  const { line_items, description } = session?.details ?? {};
  if (line_items && charge.capturedMinor === charge.price.amountMinor) {
    const rows = line_items.map((item): Row => {
      const name = item.quantity === 1 ? item.name : `${item.quantity} × ${item.name}`;
      return [name, amount(item.quantity * item.amount)];
    });
    return [tableOf([...rows, [words.total, amount(charge.capturedMinor)]])];
  }
  const text = description ?? charge.description;
  return text ? [oneLine(text)] : [];
}

function contactOf({ name, profile }: Account, words: ReceiptWords): string[] {
  const contacts = [profile.supportEmail, profile.supportPhone].filter((one) => one !== null);
  return contacts.length > 0 ? [[words.questions(name), ...contacts].join("\n")] : [];
}

function tableOf(rows: readonly Row[]): string {
  return rows
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${oneLine(label)}\t${oneLine(value as string)}`)
    .join("\n");
}
