import type { ChargeStatus, ListCharges } from "@florin/contract/charge.ts";
import { maxAmount } from "@florin/contract/currency.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { DisplayStatus } from "@florin/contract/display-status.ts";
import type { CardBrand } from "@florin/contract/payment-method.ts";
import { namedPaymentMethod } from "../../cards/payment-methods/payment-method-id.ts";
import { plainEmail } from "../../core/email-address.ts";
import type { CheckoutSessionId, CustomerId, PaymentMethodId, PayoutId } from "../../core/ids.ts";
import type { Metadata } from "../../core/metadata.ts";
import { type Currency, currencyOfFilter } from "../../core/money.ts";
import { namedId } from "../../platform/http/filter-ids.sql.ts";
import { boundsOf, valuesOf } from "../../platform/http/list.ts";
import type { PayoutContents } from "./payout-contents.sql.ts";

/** The filter of a charge list. A charge must match every condition. */
export type ChargeFilter = {
  readonly statuses?: readonly ChargeStatus[] | undefined;
  readonly displayStatuses?: readonly DisplayStatus[] | undefined;
  /** An inclusive range in minor units. */
  readonly amount?: { readonly min: number; readonly max: number } | undefined;
  readonly currency?: Currency | undefined;
  /** Any of these currencies. The search index does not cover this condition. */
  readonly currencies?: readonly Currency[] | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly email?: string | undefined;
  readonly paymentMethodId?: PaymentMethodId | undefined;
  readonly checkoutSessionId?: CheckoutSessionId | undefined;
  readonly clientReferenceId?: string | undefined;
  readonly brands?: readonly CardBrand[] | undefined;
  readonly last4?: string | undefined;
  readonly declineCodes?: readonly DeclineCode[] | undefined;
  readonly refunded?: boolean | undefined;
  readonly disputed?: boolean | undefined;
  readonly inReview?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
  readonly payoutId?: PayoutId | undefined;
};

/**
 * A charge filter, with the customers that have its email address, and with the contents of its payout instead of the
 * payout's ID.
 */
export type Conditions = Omit<ChargeFilter, "payoutId"> & {
  readonly customersOfEmail: readonly CustomerId[];
  readonly payout?: PayoutContents | undefined;
};

export function chargeFilterOf(query: ListCharges): ChargeFilter {
  return {
    statuses: query.status && valuesOf(query.status),
    displayStatuses: query.display_status && valuesOf(query.display_status),
    amount: query.amount === undefined ? undefined : amountOf(query.amount),
    currency: currencyOfFilter(query.currency),
    customerId: namedId("cus", query.customer_id, "customer_id"),
    email: query.customer_email?.toLowerCase(),
    paymentMethodId: namedPaymentMethod(query.payment_method_id),
    checkoutSessionId: namedId("cs", query.checkout_session_id, "checkout_session_id"),
    clientReferenceId: query.client_reference_id,
    brands: query.brand && valuesOf(query.brand),
    last4: query.last4,
    declineCodes: query.decline_code && valuesOf(query.decline_code),
    refunded: query.refunded,
    disputed: query.disputed,
    inReview: query.in_review,
    payoutId: namedId("po", query.payout_id, "payout_id"),
    metadata: query.metadata && { ...query.metadata },
  };
}

/**
 * Returns the spellings with which a payment's email address is compared in lower case. Earlier releases stored the
 * address as the customer wrote it, and not in its canonical spelling.
 */
export function spellingsOf(email: string): string[] {
  return [...new Set([plainEmail(email), email.toLowerCase()])];
}

function amountOf(bounds: ListCharges["amount"]): { min: number; max: number } {
  const { gt = -1, gte = 0, lt = maxAmount + 1, lte = maxAmount } = boundsOf(bounds);
  return { min: Math.max(gt + 1, gte), max: Math.min(lt - 1, lte) };
}
