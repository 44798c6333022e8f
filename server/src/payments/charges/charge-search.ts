import { hash } from "node:crypto";
import { type ChargeStatus, chargeStatuses } from "@florin/contract/charge.ts";
import type { DisplayStatus } from "@florin/contract/display-status.ts";
import { isFixedTestMethod } from "../../cards/payment-methods/payment-method-id.ts";
import type { CustomerId, PaymentMethodId } from "../../core/ids.ts";
import type { Metadata } from "../../core/metadata.ts";
import type { Scope } from "../../core/scope.ts";
import type { Charge } from "./charge.ts";
import { type Conditions, spellingsOf } from "./charge-filter.ts";

/**
 * An inclusive range of charge IDs. The search index divides charges, in ID order, into blocks and stores the words of
 * each block's charges (docs/decisions/0022). Only a block that contains all words of a filter can contain a matching
 * charge. The words may come from different charges, so every charge of such a block is compared with the filter.
 */
export type IdRange = { readonly first: string; readonly last: string };

/** The number of charges in a block. */
export const blockSize = 128;

/** The words of a filter. A block must contain at least one word of each group. */
export type WordGroups = readonly (readonly string[])[];

/** The fields of a charge that the search index covers. */
export type SearchFields = {
  readonly status: ChargeStatus;
  readonly amountMinor: number;
  readonly currency: string;
  readonly brand: string;
  readonly last4: string | null;
  readonly metadata: Metadata;
  readonly paymentMethodId: PaymentMethodId;
  readonly customerId: CustomerId | null;
  readonly email: string | null;
};

export function searchFields(charge: Charge): SearchFields {
  const { status, price, card, metadata, paymentMethodId, customerId, risk } = charge;
  return {
    status,
    ...price,
    brand: card.brand,
    last4: card.last4,
    metadata,
    paymentMethodId,
    customerId,
    email: risk.details?.email ?? null,
  };
}

/**
 * Returns the words of a charge in the search index. A transition normally does not index the charge again, so the
 * words cover the current status and each status that the charge can still reach. They do not cover the late failure of
 * a capture, after which the charge is indexed again.
 */
export function wordsOfCharge(fields: SearchFields): string[] {
  const { amountMinor, currency, brand, metadata, paymentMethodId, customerId, email } = fields;
  return [
    ...reachableStatuses(fields.status).flatMap((status) => [
      ...facetWords({ status, currency, brand }),
      sizeWord(magnitude(amountMinor), status),
    ]),
    ...(fields.last4 ? [`last4 ${fields.last4}`] : []),
    `amount ${amountMinor}`,
    sizeWord(magnitude(amountMinor)),
    ...Object.entries(metadata).map(metadataWord),
    ...(isFixedTestMethod(paymentMethodId) ? [`payment_method ${paymentMethodId}`] : []),
    ...(customerId ? [customerWord(customerId)] : []),
    ...(email ? [emailWord(email)] : []),
  ];
}

/**
 * Returns the words that a matching charge must have: at least one word of each group. Returns no group if the filter
 * has no indexed field.
 */
export function wordsOfFilter(filter: Conditions): WordGroups {
  const { currency, brands, last4, amount, metadata, paymentMethodId, email } = filter;
  const statuses = commonStatuses([filter.statuses, filter.displayStatuses?.map(statusOf)]);
  const groups: (readonly string[])[] = [];
  if (statuses || currency || brands) {
    const facets = (statuses ?? [null]).flatMap((status) =>
      (brands ?? [undefined]).map((brand) => facetWord({ status, currency, brand })),
    );
    groups.push(facets);
  }
  if (last4) groups.push([`last4 ${last4}`]);
  if (amount) groups.push(amountWords(amount, statuses));
  for (const pair of Object.entries(metadata ?? {})) groups.push([metadataWord(pair)]);
  if (paymentMethodId && isFixedTestMethod(paymentMethodId)) {
    groups.push([`payment_method ${paymentMethodId}`]);
  }
  if (email)
    groups.push([
      ...spellingsOf(email).map(emailWord),
      ...filter.customersOfEmail.map(customerWord),
    ]);
  return groups;
}

/**
 * Reports whether no charge can match, because two conditions require different statuses. Without this check, a search
 * for canceled charges with the status `succeeded` in the dashboard would read every canceled charge.
 */
export function isContradictory(filter: Conditions): boolean {
  const { statuses, displayStatuses, declineCodes, refunded, disputed, inReview } = filter;
  const common = commonStatuses([
    statuses,
    displayStatuses?.map(statusOf),
    declineCodes && ["failed"],
    inReview ? ["authorized"] : undefined,
    refunded || disputed ? ["succeeded"] : undefined,
  ]);
  return common?.length === 0;
}

/** Returns the statuses that all given lists contain, or undefined if none is given. */
function commonStatuses(
  lists: readonly (readonly ChargeStatus[] | undefined)[],
): readonly ChargeStatus[] | undefined {
  return lists
    .filter((list) => list !== undefined)
    .reduce<readonly ChargeStatus[] | undefined>(
      (common, list) => common?.filter((status) => list.includes(status)) ?? list,
      undefined,
    );
}

/** Returns the charge status that corresponds to this status in the dashboard. */
function statusOf(status: DisplayStatus): ChargeStatus {
  switch (status) {
    case "partially_refunded":
    case "refunded":
    case "disputed":
      return "succeeded";
    case "in_review":
      return "authorized";
    case "being_canceled":
      return "processing";
    default:
      return status;
  }
}

/**
 * Returns the current status and each status that the charge can still reach, except by the late failure of a capture.
 */
function reachableStatuses(status: ChargeStatus): readonly ChargeStatus[] {
  if (status === "processing" || status === "requires_action") return chargeStatuses;
  return status === "authorized" ? ["authorized", "succeeded", "canceled"] : [status];
}

type Facets = {
  readonly status: ChargeStatus | null;
  readonly currency?: string | undefined;
  readonly brand?: string | undefined;
};

/**
 * Returns a word for each combination of the fields. With one word per field, a block with one failed payment and one
 * Amex payment would match a search for failed Amex payments.
 */
function facetWords({ status, currency, brand }: Facets): string[] {
  const words: string[] = [];
  for (const one of [status, null]) {
    for (const two of [currency, undefined]) {
      for (const three of [brand, undefined]) {
        if (one || two || three)
          words.push(facetWord({ status: one, currency: two, brand: three }));
      }
    }
  }
  return words;
}

function facetWord({ status, currency, brand }: Facets): string {
  return `facets ${status ?? "*"} ${currency ?? "*"} ${brand ?? "*"}`;
}

const metadataWord = ([key, value]: [string, string]): string => `metadata ${key}=${value}`;
const customerWord = (id: CustomerId): string => `customer ${id}`;
const emailWord = (email: string): string => `email ${email.toLowerCase()}`;

/** The size from which an amount range is searched by magnitude. Smaller ranges are searched by each exact amount. */
const fewAmounts = 16;

type Amounts = { readonly min: number; readonly max: number };

function amountWords({ min, max }: Amounts, statuses?: readonly ChargeStatus[]): string[] {
  if (max - min < fewAmounts) return numbers(min, max).map((amount) => `amount ${amount}`);
  const sizes = numbers(magnitude(min), magnitude(max));
  // Combines the magnitude with the status, because searches for large failed payments are frequent, and few blocks
  // contain such a payment.
  return sizes.flatMap(
    (size) => statuses?.map((status) => sizeWord(size, status)) ?? sizeWord(size),
  );
}

function sizeWord(size: number, status: ChargeStatus | "*" = "*"): string {
  return `amount about ${size} ${status}`;
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
}

/**
 * Returns the amount's magnitude, `floor(4 · log2(amount)) + 1`. A range of amounts covers only a few magnitudes, so it
 * needs only a few words.
 */
function magnitude(amount: number): number {
  return amount < 1 ? 0 : Math.floor(Math.log2(amount) * 4) + 1;
}

/**
 * Hashes words to 64 bits, so that the index does not contain email addresses in plain text. The hashes differ for each
 * merchant and mode.
 */
export function hashWords({ account, livemode }: Scope, words: readonly string[]): string[] {
  const own = `${account} ${livemode} `;
  return [...new Set(words)].map((word) =>
    hash("sha256", own + word, "buffer")
      .readBigInt64BE()
      .toString(),
  );
}
